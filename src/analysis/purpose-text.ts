/** A purpose in the forms that are searched, so that no spelling hides what it says. */

const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu
/** On a Latin letter, or on no letter at all. */
const LATIN_MARKS = /(?<!\p{M}|(?!\p{Script=Latin})\p{L})[\u0300-\u036f]+/gu

/** Letters without accents, so that `Genehmigung für` and `genehmigung fur` are one. */
const withoutAccents = (text: string): string =>
  text.normalize('NFD').replace(LATIN_MARKS, '').normalize('NFC')

/** Compatibility forms, case, accents, invisible characters and runs of blanks made equal. */
export const plain = (text: string): string =>
  withoutAccents(text.normalize('NFKC').replace(IGNORABLE, '').toLowerCase())
    .replaceAll('ı', 'i')
    .replace(/[^\S\n]+/g, ' ')

/** Words with one space around each and nothing else. */
const wordsOf = (text: string): string => ` ${text.replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ').trim()} `

const squeezed = (text: string): string => text.replace(/[^\p{L}\p{M}\p{N}]+/gu, '')

const DIGITS = '013457@$|'
const LETTERS = 'oieastasl'

/** `1gn0re` is read by people as well as by models. */
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
  /** Each begins and ends with a space, and has one between two words. */
  words: string[]
  /** Without any gap: for scripts that have none, and for letters that were spread out. */
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
