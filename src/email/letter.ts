/** Renders an e-mail as text and as simple HTML. Pure. */

export type Letter = {
  subject: string
  paragraphs: readonly string[]
  /** What it is about, as name and value. */
  facts: readonly (readonly [string, string])[]
  action: { label: string; url: string }
  /** Why the reader received this e-mail. */
  reason: string
  /** Undefined when these e-mails cannot be switched off. */
  unsubscribeUrl: string | undefined
}

export type RenderedLetter = { subject: string; text: string; html: string }

const ELLIPSIS = '…'
/** Looks like a full stop, but mail programs do not make links of it. */
const ONE_DOT_LEADER = '\u2024'

/**
 * Text that people wrote, as one short line without control and direction characters, which mail
 * programs do not turn into a link. Otherwise anybody could send a link in our name.
 */
export function quoted(text: string, max: number): string {
  const line = text
    .toWellFormed()
    .replace(/\s+/gu, ' ')
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}]/gu, '')
    .replace(/\.(?=[^\s.])/gu, ONE_DOT_LEADER)
    .replaceAll('://', ': //')
    .trim()
  const points = [...line]
  return points.length <= max ? line : `${points.slice(0, max - 1).join('')}${ELLIPSIS}`
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => entities[character] ?? '')

const unsubscribing = 'Unsubscribe from e-mails of this kind'

function textOf({ paragraphs, facts, action, reason, unsubscribeUrl }: Letter): string {
  const blocks = [
    ...paragraphs,
    facts.map(([name, value]) => `${name}: ${value}`).join('\n'),
    `${action.label}:\n${action.url}`,
    `--\n${reason}`,
    unsubscribeUrl ? `${unsubscribing}: ${unsubscribeUrl}` : '',
  ]
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`
}

const link = (url: string, label: string): string =>
  `<a href="${escapeHtml(url)}">${escapeHtml(label)}</a>`

function htmlOf({ subject, paragraphs, facts, action, reason, unsubscribeUrl }: Letter): string {
  const rows = facts.map(
    ([name, value]) =>
      `<tr><td style="padding-right:1em">${escapeHtml(name)}</td>` +
      `<td>${escapeHtml(value)}</td></tr>`,
  )
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8">',
    `<title>${escapeHtml(subject)}</title></head>`,
    '<body style="font-family:sans-serif;line-height:1.5">',
    ...paragraphs.map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`),
    ...(rows.length > 0 ? ['<table>', ...rows, '</table>'] : []),
    `<p>${link(action.url, action.label)}</p>`,
    `<p style="font-size:small">${escapeHtml(reason)}`,
    ...(unsubscribeUrl ? [`<br>${link(unsubscribeUrl, unsubscribing)}`] : []),
    '</p></body></html>',
    '',
  ].join('\n')
}

export const renderLetter = (letter: Letter): RenderedLetter => ({
  subject: letter.subject,
  text: textOf(letter),
  html: htmlOf(letter),
})
