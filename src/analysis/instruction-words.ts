/**
 * How patterns over the words of a purpose are made. All take linear time: a word is whatever
 * stands between two single spaces, and a gap is a bounded number of words, so that nothing can be
 * read in two ways.
 */

/** In a list `*` is any ending of a word. Some scripts change under NFKC, so lists do too. */
const words = (list: string): string => list.normalize('NFKC').replaceAll('*', '[^ ]*')

/** One of the first, and at most a few words later one of the second. */
export const near = (first: string, second: string, gap = 4): RegExp =>
  new RegExp(` (?:${words(first)})(?: [^ ]+){0,${gap}} (?:${words(second)}) `, 'u')

export const phrase = (...lists: string[]): RegExp =>
  new RegExp(` (?:${words(lists.join('|'))}) `, 'u')

/** For text without any gap between its words. */
export const dense = (pattern: RegExp): RegExp => new RegExp(pattern.source.normalize('NFKC'), 'u')

export type PatternsByAim = {
  /** To set rules aside. */
  override: readonly RegExp[]
  /** To make the reader somebody else. */
  role: readonly RegExp[]
  /** To have a certain answer or act. */
  answer: readonly RegExp[]
  /** To be approved, or looked at less closely. */
  approval: readonly RegExp[]
}
