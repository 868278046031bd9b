/**
 * The confirmation panel. Its own shadow root and a constructed style sheet keep it apart from the
 * page and inside the page's policy: no inline style, and text is only ever set as text.
 */
import { WalletError } from './gateway.ts'
import type { Asked } from './words.ts'

const STYLE = `
:host { all: initial }
dialog { position: fixed; inset: auto 16px 16px auto; margin: 0; width: min(380px, calc(100vw - 32px));
  max-height: calc(100dvh - 32px); overflow: hidden; padding: 20px; border-radius: 14px;
  border: 1px solid #8a94a0; color: #1b2126; background: #ffffff;
  font: 15px/1.45 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; box-sizing: border-box }
dialog[open] { display: flex; flex-direction: column }
dialog::backdrop { background: rgb(0 0 0 / 35%) }
.note { align-self: start; margin: 0 0 10px; padding: 2px 10px; border-radius: 99px;
  font-size: 12px; font-weight: 600; color: #7a4b00; background: #fff4dc }
h2 { margin: 0 0 12px; font-size: 18px; font-weight: 650 }
dl { margin: 0 0 16px; min-height: 0; overflow: auto; display: grid; gap: 8px }
dt { font-size: 13px; color: #5a6570 }
dd { margin: 0; overflow-wrap: anywhere; white-space: pre-wrap; font-variant-numeric: tabular-nums }
.buttons { display: grid; grid-template-columns: 1fr 1fr; gap: 8px }
button { min-height: 44px; font: inherit; font-weight: 600; border-radius: 10px; cursor: pointer;
  border: 1px solid #8a94a0; color: inherit; background: none }
button.confirm { border-color: #1f5fbf; background: #1f5fbf; color: #ffffff }
button:focus-visible { outline: 3px solid #1f5fbf; outline-offset: 2px }
@media (prefers-color-scheme: dark) {
  dialog { color: #e8ecf0; background: #1b2127; border-color: #4a5562 }
  dt { color: #a3adb8 } .note { color: #ffd68a; background: #33280f }
  button { border-color: #4a5562 }
  button.confirm { background: #7fb0ff; border-color: #7fb0ff; color: #0d1420 }
  button:focus-visible { outline-color: #7fb0ff }
}
`

function element(name: string, text?: string, className?: string): HTMLElement {
  const made = document.createElement(name)
  if (text !== undefined) made.textContent = text
  if (className !== undefined) made.className = className
  return made
}

function makeHost(): { root: ShadowRoot; remove(): void } {
  const host = document.createElement('countersign-dev-wallet')
  const root = host.attachShadow({ mode: 'open' })
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(STYLE)
  root.adoptedStyleSheets = [sheet]
  document.body.append(host)
  return { root, remove: () => host.remove() }
}

function describe({ lines }: Asked): HTMLElement {
  const list = element('dl')
  for (const [name, value] of lines) {
    const line = element('div')
    line.append(element('dt', name), element('dd', value))
    list.append(line)
  }
  return list
}

let last: Promise<unknown> = Promise.resolve()

/** Resolves when the person confirms; rejects with 4001 when they do not. One panel at a time. */
export function confirm(asked: Asked): Promise<void> {
  const mine = last.then(() => show(asked))
  last = mine.catch(() => {})
  return mine
}

function show(asked: Asked): Promise<void> {
  const { root, remove } = makeHost()
  const dialog = document.createElement('dialog')
  const heading = element('h2', asked.title)
  heading.id = 'title'
  dialog.setAttribute('aria-labelledby', 'title')
  const reject = element('button', 'Reject', 'reject')
  const accept = element('button', asked.confirm, 'confirm')
  const buttons = element('div', undefined, 'buttons')
  buttons.append(reject, accept)
  dialog.append(element('p', 'Development wallet', 'note'), heading, describe(asked), buttons)
  root.append(dialog)
  return new Promise<void>((resolve, refuse) => {
    const end = (settle: () => void) => {
      dialog.close()
      remove()
      settle()
    }
    const rejected = () => end(() => refuse(new WalletError(4001, 'You rejected this request.')))
    accept.addEventListener('click', () => end(resolve))
    reject.addEventListener('click', rejected)
    dialog.addEventListener('cancel', (event) => {
      event.preventDefault()
      rejected()
    })
    dialog.showModal()
    accept.focus()
  })
}
