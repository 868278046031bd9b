/** The catalogs: every text is translated and keeps what is put into it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

const APPS = join(import.meta.dirname, '..', '..', 'apps')

type Entry = { text: string; translation: string }

const joined = (lines: string): string =>
  (lines.match(/".*"/g) ?? []).map((line) => JSON.parse(line)).join('')

function entriesOf(application: string, language: string): Entry[] {
  const path = join(APPS, application, 'src', 'locales', `${language}.po`)
  const source = readFileSync(path, 'utf8')
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

describe.each([
  { application: 'consumer', least: 1_400 },
  { application: 'admin', least: 500 },
])('the $application application', ({ application, least }) => {
  const german = entriesOf(application, 'de')

  test('all languages have the same texts', () => {
    const texts = entriesOf(application, 'en').map(({ text }) => text)
    expect(texts.length).toBeGreaterThan(least)
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
})
