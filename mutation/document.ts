/** docs/MUTATION.md: a part about the vault and a part about the service, written apart. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const FILE = join(import.meta.dirname, '..', 'docs', 'MUTATION.md')
const SECOND_PART = '\n# Mutation run of the TypeScript sources\n'

export type Parts = { vault: string; typescript: string }

export function partsOf(text: string): Parts {
  const [vault = '', ...rest] = text.split(SECOND_PART)
  return { vault, typescript: rest.join(SECOND_PART) }
}

/** Replaces one part and keeps the other. */
export async function writePart(part: Partial<Parts>): Promise<void> {
  const { vault, typescript } = { ...partsOf(await readFile(FILE, 'utf8')), ...part }
  await writeFile(FILE, typescript === '' ? vault : `${vault}${SECOND_PART}${typescript}`)
}

const onOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()
const fence = (text: string): string => (text.includes('`') ? '``' : '`')
const code = (text: string): string => {
  const [mark, gap] = [fence(text), text.includes('`') ? ' ' : '']
  return `${mark}${gap}${text.replaceAll('|', '\\|')}${gap}${mark}`
}

export const change = (before: string, after: string): string =>
  `${code(onOneLine(before))} → ${after === '' ? 'nothing' : code(onOneLine(after))}`
