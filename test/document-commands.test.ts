/** The commands that the documents name exist. */
import { describe, expect, test } from 'vitest'
import { parts } from '#bench/parts.ts'
import { readSource, readSources } from '#test/tidy/source.ts'

const documents = [
  ...readSources('docs', ['.md']),
  ...['README.md', 'CONTRIBUTING.md', 'ARCHITECTURE.md'].map(readSource),
]

const namesIn = (pattern: RegExp): string[] =>
  documents.flatMap(({ text }) => [...text.matchAll(pattern)].map(([, name = '']) => name))

describe('commands in the documents', () => {
  test('are scripts of package.json', () => {
    const { scripts }: { scripts: object } = JSON.parse(readSource('package.json').text)
    // `npm run build -w` runs a script of a workspace.
    const names = namesIn(/`npm run (?:-s )?([a-z][\w:-]*)(?! -w)\b/g)
    expect(names.length).toBeGreaterThan(50)
    expect(names.filter((name) => !(name in scripts))).toEqual([])
  })

  test('name parts of the benchmark that exist', () => {
    const ids = namesIn(/npm run bench -- ([a-z][a-z -]*)/g).flatMap((list) => list.split(' '))
    expect(ids.length).toBeGreaterThan(10)
    expect(ids.filter((id) => id && !(id in parts))).toEqual([])
  })
})
