/** The sign-in page of the development provider: HTML and CSS, no script. */
import { createHash } from 'node:crypto'
import type { Realm } from '#platform/config/config.ts'
import type { DevPerson } from './people.ts'

const STYLE = `
:root { color-scheme: light dark; --ink: #1b2126; --soft: #5a6570; --line: #d8dee4; --page: #f4f6f8;
  --card: #ffffff; --accent: #1f5fbf; --on-accent: #ffffff; --hover: #eef3fa; --note: #7a4b00;
  --note-back: #fff4dc }
@media (prefers-color-scheme: dark) { :root { --ink: #e8ecf0; --soft: #a3adb8; --line: #343c45;
  --page: #12161a; --card: #1b2127; --accent: #7fb0ff; --on-accent: #0d1420; --hover: #242c35;
  --note: #ffd68a; --note-back: #33280f } }
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 24px 16px;
  background: var(--page); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif }
main { width: 100%; max-width: 440px; background: var(--card); border: 1px solid var(--line);
  border-radius: 14px; padding: 32px }
h1 { margin: 16px 0 4px; font-size: 24px; line-height: 1.25; font-weight: 650;
  letter-spacing: -.01em }
p { margin: 0 0 20px; color: var(--soft) }
.note { display: inline-block; margin: 0; padding: 3px 10px; border-radius: 99px; font-size: 13px;
  font-weight: 600; color: var(--note); background: var(--note-back) }
ul { list-style: none; margin: 0 0 24px; padding: 0; display: grid; gap: 8px;
  grid-template-columns: minmax(0, 1fr); max-height: 336px; overflow-y: auto }
form { margin: 0 }
button { font: inherit; cursor: pointer; min-height: 44px; border-radius: 10px }
.person { width: 100%; display: grid; grid-template-columns: 40px minmax(0, 1fr); gap: 12px;
  align-items: center; padding: 10px 12px; text-align: left; color: inherit; background: none;
  border: 1px solid var(--line) }
.person:hover { background: var(--hover); border-color: var(--accent) }
.initials { display: grid; place-items: center; width: 40px; height: 40px; border-radius: 50%;
  background: var(--hover); color: var(--accent); font-weight: 650; font-size: 15px }
.person span span { display: block; overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
.name { font-weight: 600 }
.mail { color: var(--soft); font-size: 14px }
h2 { margin: 0 0 12px; padding-top: 20px; border-top: 1px solid var(--line); font-size: 16px }
label { display: block; margin-bottom: 14px; font-size: 14px; font-weight: 600 }
label small { font-weight: 400; color: var(--soft) }
input { display: block; width: 100%; margin-top: 4px; padding: 10px 12px; min-height: 44px;
  font: inherit; font-weight: 400; color: inherit; background: var(--page);
  border: 1px solid var(--line);
  border-radius: 10px }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
.main { width: 100%; padding: 10px 16px; font-weight: 600; color: var(--on-accent);
  background: var(--accent); border: 0 }
.quiet { width: 100%; margin-top: 8px; padding: 10px 16px; color: var(--soft); background: none;
  border: 0 }
.problem { color: var(--note) }
`

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
<p class="note">Development sign-in</p>
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
  const heading = people.length === 0 ? '' : '<h2>Somebody else</h2>'
  const wrong = problem ? `<p class="problem" role="alert">${escaped(problem)}</p>` : ''
  return page(
    'Who do you want to be?',
    `<h1>Who do you want to be?</h1>
<p>Sign in to ${where} as anybody. There are no passwords here: nobody else can reach this page.</p>
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
