/**
 * Builds patterns over the words of a purpose. All run in linear time: words are separated by
 * single spaces and gaps are bounded, so no input can match in two ways.
 */

/**
 * In a list `*` matches any word ending. NFKC changes some scripts, so the lists are normalised
 * too.
 */
const words = (list: string): string => list.normalize('NFKC').replaceAll('*', '[^ ]*')

/** One of the first list, followed within a few words by one of the second. */
export const near = (first: string, second: string, gap = 4): RegExp =>
  new RegExp(` (?:${words(first)})(?: [^ ]+){0,${gap}} (?:${words(second)}) `, 'u')

export const phrase = (...lists: string[]): RegExp =>
  new RegExp(` (?:${words(lists.join('|'))}) `, 'u')

/** For text without spaces between words. */
export const dense = (pattern: RegExp): RegExp => new RegExp(pattern.source.normalize('NFKC'), 'u')

export type PatternsByAim = {
  /** To set rules aside. */
  override: readonly RegExp[]
  /** To change the reader's role. */
  role: readonly RegExp[]
  /** To dictate an answer or an action. */
  answer: readonly RegExp[]
  /** To be approved or to get less scrutiny. */
  approval: readonly RegExp[]
}
