/** A small reader of e-mails, independent of the package that writes them. */

export type Mail = {
  /** Header lines as received, unfolded, in order. */
  lines: string[]
  /** Decoded, by name in lower case; one that occurs twice is joined by a line break. */
  headers: Record<string, string>
  text: string
  html: string
}

const unfold = (head: string): string[] => head.replace(/\r\n(?=[ \t])/g, '').split('\r\n')

const fromQuotedPrintable = (text: string): Buffer =>
  Buffer.from(
    text
      .replace(/=\r\n/g, '')
      .replace(/=([0-9A-F]{2})/g, (_all, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  )

/** RFC 2047; white space between two encoded words does not count. */
const decodeWords = (value: string): string =>
  value
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([QB])\?([^?]*)\?=/gi, (_all, how: string, word: string) =>
      (how.toUpperCase() === 'B'
        ? Buffer.from(word, 'base64')
        : fromQuotedPrintable(word.replaceAll('_', ' '))
      ).toString('latin1'),
    )

/** Bytes of one character may be split over two encoded words, so they are joined first. */
const decodeHeader = (value: string): string => {
  const decoded = decodeWords(value)
  return decoded === value ? value : Buffer.from(decoded, 'latin1').toString('utf8')
}

function readEntity(raw: string): { lines: string[]; headers: Mail['headers']; body: string } {
  const end = raw.indexOf('\r\n\r\n')
  const lines = unfold(raw.slice(0, end))
  const headers: Mail['headers'] = {}
  for (const line of lines) {
    const [, name = '', value = ''] = /^([!-9;-~]+):[ \t]*(.*)$/s.exec(line) ?? []
    const key = name.toLowerCase()
    const decoded = decodeHeader(value)
    headers[key] = key in headers ? `${headers[key]}\n${decoded}` : decoded
  }
  return { lines, headers, body: raw.slice(end + 4) }
}

function decodeBody(headers: Mail['headers'], body: string): string {
  const encoding = headers['content-transfer-encoding']?.toLowerCase()
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8')
  if (encoding === 'quoted-printable') return fromQuotedPrintable(body).toString('utf8')
  return body
}

export function readMail(raw: string): Mail {
  const { lines, headers, body } = readEntity(raw)
  const boundary = /boundary="([^"]+)"/.exec(headers['content-type'] ?? '')?.[1]
  if (!boundary) throw new Error('The e-mail has no parts')
  const parts = body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => readEntity(part.replace(/^\r\n/, '')))
  const part = (type: string) => {
    const found = parts.find((one) => one.headers['content-type']?.startsWith(type))
    const decoded = found && decodeBody(found.headers, found.body)
    return (decoded ?? '').replaceAll('\r\n', '\n').trimEnd()
  }
  return { lines, headers, text: part('text/plain'), html: part('text/html') }
}
