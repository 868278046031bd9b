/** The blocks of docs/GUIDE.md, and its code as one program. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '#test/processes/processes.ts'

export type Block = { heading: string; language: string; code: string }

const TEXT = readFileSync(join(ROOT, 'docs', 'GUIDE.md'), 'utf8')

/** Headings and blocks. A line in a block may look like a heading. */
const PARTS = /^```(\w+)\n(.*?)^```$|^(#{2,3} [^\n]*)$/gms

export const blocks: Block[] = readBlocks()

function readBlocks(): Block[] {
  const found: Block[] = []
  let heading = ''
  for (const [, language, code = '', title] of TEXT.matchAll(PARTS)) {
    if (title !== undefined) heading = title
    if (language !== undefined) found.push({ heading, language, code })
  }
  return found
}

export const codeOf = (language: string): string[] =>
  blocks.filter((block) => block.language === language).map(({ code }) => code)

/** The page's table of names, except for those whose value is described in words. */
export const names: Record<string, string> = Object.fromEntries(
  [...TEXT.matchAll(/^\| `(\w+)` \| `([^`]+)` \|$/gm)].map(([, name = '', value = '']) => [
    name,
    value,
  ]),
)

/** The packages' sources stand in for the published modules. */
const withSources = (code: string): string =>
  code
    .replace(/'@countersign\/client'/g, "'@countersign/client/client.ts'")
    .replace(/'(@countersign\/[a-z]+\/[a-z-]+)'/g, "'$1.ts'")

export const program = (): string => withSources(codeOf('ts').join('\n'))
