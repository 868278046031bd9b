/** The sign-in page of the development provider: HTML and CSS, no script. */
import { createHash } from 'node:crypto'
import type { Realm } from '#platform/config/config.ts'
import type { DevPerson } from './people.ts'

/** The colours of the application, whose fonts this page does not load. */
const STYLE = `
:root { color-scheme: light dark; --page: light-dark(#fbfbfa, #131416);
  --card: light-dark(#ffffff, #1a1c1f); --hover: light-dark(#f1f1ed, #24272b);
  --line: light-dark(#e5e4df, #2d3035); --control: light-dark(#8b8d88, #73777f);
  --text: light-dark(#1b1d1c, #eceded); --muted: light-dark(#5d625f, #a3a8ae);
  --accent: light-dark(#0f6b54, #5cc8a7); --strong: light-dark(#0b5543, #7bd7bb);
  --on-accent: light-dark(#ffffff, #07231b); --soft: light-dark(#e3f2ed, #143029);
  --warn: light-dark(#855200, #f0b74d); --warn-soft: light-dark(#fdf1d8, #352708) }
* { box-sizing: border-box }
body { margin: 0; min-height: 100dvh; display: grid; place-items: center; padding: 24px 16px;
  background: var(--page); color: var(--text); -webkit-font-smoothing: antialiased;
  font: 15px/1.5 Inter, system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif }
main { width: 100%; max-width: 416px; background: var(--card); border: 1px solid var(--line);
  border-radius: 12px; padding: 28px }
header { display: flex; align-items: center; justify-content: space-between; gap: 12px;
  font-weight: 600 }
header span { display: flex; align-items: center; gap: 10px }
h1 { margin: 24px 0 4px; font-size: 24px; line-height: 1.25; font-weight: 600;
  letter-spacing: -.02em }
p { margin: 0 0 20px; color: var(--muted); text-wrap: pretty }
.note { margin: 0; padding: 2px 8px; border-radius: 99px; font-size: 12px; font-weight: 500;
  color: var(--warn); background: var(--warn-soft) }
ul { list-style: none; margin: 0 0 24px; padding: 0; max-height: 337px; overflow-y: auto;
  border: 1px solid var(--line); border-radius: 8px }
li + li { border-top: 1px solid var(--line) }
form { margin: 0 }
button { font: inherit; cursor: pointer; min-height: 40px; border-radius: 8px; border: 0 }
.person { width: 100%; display: grid; grid-template-columns: 36px minmax(0, 1fr); gap: 12px;
  align-items: center; padding: 9px 12px; text-align: start; color: inherit; background: none;
  border-radius: 0 }
.person:hover { background: var(--hover) }
.initials { display: grid; place-items: center; width: 36px; height: 36px; border-radius: 50%;
  background: var(--soft); color: var(--strong); font-weight: 600; font-size: 13px }
.person span span { display: block; overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
.name { font-weight: 500 }
.mail { color: var(--muted); font-size: 13px }
h2 { margin: 0 0 12px; font-size: 15px; font-weight: 600 }
label { display: block; margin-bottom: 14px; font-size: 13px; font-weight: 500 }
small { font-size: inherit; font-weight: 400; color: var(--muted) }
input { display: block; width: 100%; margin-top: 6px; padding: 0 12px; height: 40px; color: inherit;
  font-family: inherit; font-size: 15px; font-weight: 400; background: var(--card);
  border: 1px solid var(--control); border-radius: 8px }
::placeholder { color: var(--muted); font-weight: 400; opacity: 1 }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
.person:focus-visible { outline-offset: -2px }
.main { width: 100%; margin-top: 6px; padding: 0 16px; font-weight: 500; color: var(--on-accent);
  background: var(--accent) }
.main:hover { background: var(--strong) }
.quiet { width: 100%; margin-top: 8px; padding: 0 16px; color: var(--text); background: none }
.quiet:hover { background: var(--hover) }
.problem { color: var(--warn) }
`

const LOGO = `<svg viewBox="0 0 64 64" width="28" height="28" fill="none" stroke-width="6" \
stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">
<rect width="64" height="64" rx="14" fill="var(--accent)"/>
<path d="M18 34.5 27.5 44 47 22" stroke="var(--on-accent)"/>
<path d="M18 22h14" stroke="var(--on-accent)" opacity=".6"/></svg>`

const escapes: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => escapes[character] ?? '')

/** Browsers apply `form-action` to the redirects that follow a form, too. */
export function signInHeaders(applications: readonly string[]): Record<string, string> {
  const style = createHash('sha256').update(STYLE).digest('base64')
  return {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy':
      `default-src 'none'; style-src 'sha256-${style}'; base-uri 'none'; frame-ancestors 'none'; ` +
      `form-action ${["'self'", ...applications].join(' ')}`,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  }
}

const page = (title: string, content: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<header>
<span>${LOGO} Countersign</span>
<p class="note">Development sign-in</p>
</header>
${content}
</main>
</body>
</html>
`

const initialsOf = (name: string): string => {
  const words = name.split(/\s+/).filter((word) => word !== '')
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined]
  return letters
    .map((word) => [...(word ?? '')][0] ?? '')
    .join('')
    .toUpperCase()
}

const personLine = ({ subject, name, email, role }: DevPerson): string => `<li><form method="post">
<button class="person" name="subject" value="${escaped(subject)}">
<span class="initials" aria-hidden="true">${escaped(initialsOf(name))}</span>
<span><span class="name">${escaped(name)}</span>\
<span class="mail">${role ? `Demo, ${escaped(role)}` : escaped(email)}</span></span>
</button></form></li>`

const peopleList = (people: readonly DevPerson[]): string =>
  people.length === 0 ? '' : `<ul>${people.map(personLine).join('\n')}</ul>`

export function choosePage(options: {
  realm: Realm
  people: readonly DevPerson[]
  problem?: string | undefined
}): string {
  const { realm, people, problem } = options
  const where = realm === 'admin' ? 'the operator console' : 'Countersign'
  const heading = people.length === 0 ? '' : '<h2>Someone else</h2>'
  const wrong = problem ? `<p class="problem" role="alert">${escaped(problem)}</p>` : ''
  return page(
    'Who do you want to be?',
    `<h1>Who do you want to be?</h1>
<p>Sign in to ${where} as anyone. There are no passwords: only this machine can reach this page.</p>
${peopleList(people)}
${heading}
${wrong}
<form method="post">
<label>Name
<input name="name" required maxlength="100" autocomplete="off" placeholder="Ana Ruiz">
</label>
<label>E-mail <small>(optional)</small>
<input name="email" type="email" maxlength="200" autocomplete="off"
 placeholder="ana@company.example">
</label>
<button class="main">Sign in</button>
</form>`,
  )
}

export const confirmPage = ({ name, email }: DevPerson): string =>
  page(
    'Confirm it is you',
    `<h1>Confirm it is you</h1>
<p>You are about to do something that needs a second factor. A real provider would ask for a
passkey or a code now. In development one click is enough.</p>
<p><strong>${escaped(name)}</strong><br>${escaped(email)}</p>
<form method="post">
<button class="main" name="confirm" value="yes">Confirm it is me</button>
<button class="quiet" name="confirm" value="no">Cancel</button>
</form>`,
  )
