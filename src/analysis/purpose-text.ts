/** Normalised forms of a purpose, so that no spelling hides what it says. */

const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu
/** Marks on a Latin letter, or without a base letter. */
const LATIN_MARKS = /(?<!\p{M}|(?!\p{Script=Latin})\p{L})[\u0300-\u036f]+/gu

/** Removes accents, so that `Genehmigung für` and `genehmigung fur` are equal. */
const withoutAccents = (text: string): string =>
  text.normalize('NFD').replace(LATIN_MARKS, '').normalize('NFC')

/** Normalises compatibility forms, case, accents, invisible characters and runs of spaces. */
export const plain = (text: string): string =>
  withoutAccents(text.normalize('NFKC').replace(IGNORABLE, '').toLowerCase())
    .replaceAll('ı', 'i')
    .replace(/[^\S\n]+/g, ' ')

/** Words only, with one space around each. */
const wordsOf = (text: string): string => ` ${text.replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ').trim()} `

const squeezed = (text: string): string => text.replace(/[^\p{L}\p{M}\p{N}]+/gu, '')

const DIGITS = '013457@$|'
const LETTERS = 'oieastasl'

/** People and models read `1gn0re` as "ignore". */
const withoutDigitLetters = (text: string): string =>
  text.replace(/[013457@$|]/g, (digit) => LETTERS.charAt(DIGITS.indexOf(digit)))

const reversed = (text: string): string => [...text].reverse().join('')

const A = 'a'.charCodeAt(0)

const rotated = (text: string): string =>
  text.replace(/[a-z]/g, (letter) =>
    String.fromCharCode(A + ((letter.charCodeAt(0) - A + 13) % 26)),
  )

export type PurposeForms = {
  plain: string
  /** Each begins and ends with a space and has single spaces between words. */
  words: string[]
  /** Without spaces: for scripts that have none, and for letters that were spaced out. */
  squeezed: string[]
}

export function formsOf(purpose: string): PurposeForms {
  const text = plain(purpose)
  const spelled = withoutDigitLetters(text)
  const dense = squeezed(text)
  return {
    plain: text,
    words: [wordsOf(text), wordsOf(spelled)],
    squeezed: [dense, squeezed(spelled), reversed(dense), rotated(dense)],
  }
}
