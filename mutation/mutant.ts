/** One small wrong version of a source file, and the id by which results and reasons name it. */
import { createHash } from 'node:crypto'

export type Mutant = {
  /** The same for the same change, also when lines move. */
  id: string
  file: string
  line: number
  /** Where the change begins in the file's text. */
  index: number
  rule: string
  before: string
  after: string
  source: string
}

export type Change = { index: number; before: string; after: string }

const onOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

export function mutantOf(
  { file, source, rule }: { file: string; source: string; rule: string },
  { index, before, after }: Change,
): Mutant {
  const lines = source.slice(0, index).split('\n')
  const line = lines.length
  const original = source.split('\n')[line - 1] ?? ''
  const place = [lines.at(-1)?.length, source.slice(0, index).split(original).length]
  const key = [file, rule, original, before, after, ...place]
  return {
    id: createHash('sha256').update(JSON.stringify(key)).digest('hex').slice(0, 8),
    file,
    line,
    index,
    rule,
    before: onOneLine(before),
    after: onOneLine(after),
    source: source.slice(0, index) + after + source.slice(index + before.length),
  }
}
