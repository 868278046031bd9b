/** The catalogs: every text is translated and keeps what is put into it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const LOCALES = join(import.meta.dirname, '..', '..', 'apps', 'consumer', 'src', 'locales')

type Entry = { text: string; translation: string }

const joined = (lines: string): string =>
  (lines.match(/".*"/g) ?? []).map((line) => JSON.parse(line)).join('')

function entriesOf(language: string): Entry[] {
  const source = readFileSync(join(LOCALES, `${language}.po`), 'utf8')
  const entries = source.matchAll(/^msgid ((?:".*"\n)+)msgstr ((?:".*"(?:\n|$))+)/gm)
  return [...entries]
    .map(([, text = '', translation = '']) => ({
      text: joined(text),
      translation: joined(translation),
    }))
    .filter(({ text }) => text !== '')
}

/** Names and numbers in braces, and tags. Words of a plural stand behind them. */
const partsOf = (text: string): string[] =>
  [...new Set(text.match(/\{\w+(?=[,}])|<\/?\d+\/?>/g) ?? [])].sort()

const german = entriesOf('de')

test('all languages have the same texts', () => {
  const texts = entriesOf('en').map(({ text }) => text)
  expect(texts.length).toBeGreaterThan(1_400)
  expect(german.map(({ text }) => text)).toEqual(texts)
})

test('every text is translated into German', () => {
  expect(german.filter(({ translation }) => translation === '')).toEqual([])
})

test('a translation has the same values and tags', () => {
  const different = german.filter(
    ({ text, translation }) => partsOf(text).join() !== partsOf(translation).join(),
  )
  expect(different).toEqual([])
})
