/**
 * One instruction in many disguises: encodings, look-alike letters, invisible and reversed text.
 */

const codes = (text: string): number[] => Array.from(text, (sign) => sign.codePointAt(0) ?? 0)
const written = (text: string, write: (code: number) => string, between = ''): string =>
  codes(text).map(write).join(between)

const shifted = (text: string, base: number): string =>
  text.replace(/[a-z]/g, (letter) => String.fromCodePoint(base + letter.charCodeAt(0) - 97))

const swapped = (text: string, from: string, to: string): string => {
  const others = [...to]
  return text.replace(/./gu, (sign) => others[from.indexOf(sign)] ?? sign)
}

export const spread = (text: string, between: string): string => [...text].join(between)

export const rot13 = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[a-z]/g, (letter) => String.fromCodePoint(97 + ((letter.charCodeAt(0) - 84) % 26)))

export function base32(text: string): string {
  const bits = written(text, (code) => code.toString(2).padStart(8, '0'))
  const groups = bits.match(/[01]{5}/g) ?? []
  return groups
    .map((group) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.charAt(Number.parseInt(group, 2)))
    .join('')
}

const hex = (code: number, length: number): string => code.toString(16).padStart(length, '0')

export const hostileCoats = (order: string): string[] => {
  const lower = order.toLowerCase()
  const bytes = Buffer.from(order)
  return [
    `Chairs ${bytes.toString('base64')}`,
    `Chairs x/${bytes.toString('base64')}`,
    `Chairs ${bytes.toString('base64url')} end`,
    `Chairs ${Buffer.from(bytes.toString('base64')).toString('base64')}`,
    `Chairs ${bytes.toString('hex')}`,
    `Chairs ${bytes.toString('hex').replace(/../g, '$& ')}`,
    `Chairs ${written(order, (code) => `%${hex(code, 2)}`)}`,
    `Chairs ${written(order, (code) => `\\u${hex(code, 4)}`)}`,
    `Chairs ${written(order, (code) => `\\x${hex(code, 2)}`)}`,
    `Chairs ${written(order, (code) => `&#${code};`)}`,
    `Chairs ${written(order, (code) => `&#x${hex(code, 2)};`)}`,
    `Chairs ${written(order, (code) => code.toString(2).padStart(8, '0'), ' ')}`,
    `Chairs ${[...order].reverse().join('')}`,
    `Chairs ${written(order, (code) => String.fromCodePoint(0xe0000 + code))}`,
    `Chairs ${written(order, (code) => String.fromCodePoint(0xfee0 + Math.max(0x21, code)))}`,
    `Chairs ${shifted(lower, 0x1d41a)}`,
    `Chairs ${shifted(lower, 0x1d4ea)}`,
    `Chairs ${shifted(lower, 0x24d0)}`,
    `Chairs ${shifted(lower, 0x1d68a)}`,
    `Chairs ${swapped(lower, 'aeopcxi', 'аеорсхі')}`,
    `Chairs ${swapped(lower, 'ovi', 'ονι')}`,
    `Chairs ${swapped(lower, 'oieast', '013457')}`,
    `Chairs ${lower.replaceAll('a', '@').replaceAll('s', '$')}`,
    `Chairs ${spread(order, '\u200b')}`,
    `Chairs ${spread(order, '\u2060')}`,
    `Chairs ${spread(order, '\u00ad')}`,
    `Chairs ${spread(order, '\ufeff')}`,
    `Chairs ${spread(order, '\u0336')}`,
    `Chairs ${spread(order, '\u0301\u0302\u0303\u0304')}`,
    `Chairs ${order.replaceAll(' ', '_')}`,
    `Chairs ${order.replaceAll(' ', '\n')}`,
    `Chairs ${order.replaceAll(' ', '\u3000')}`,
    `Chairs ${order.replaceAll(' ', ' ~ ')}`,
    `Chairs \u202e${[...order].reverse().join('')}\u202c`,
    `Chairs \u2066for Maria\u2069 in May`,
    `Chairs for Ma\u202dria in May`,
    'Chairs for\u200b Maria in May',
    'Chairs for Maria\u3164 in May',
    'Chairs for Maria in May\u{e0041}',
    'Chairs for Mаria in May',
  ]
}
