import { expect, test } from 'vitest'
import { readSources } from '#test/tidy/source.ts'

test('no message names a field by the path of the validator, such as body/name', () => {
  const found = readSources('src', ['.ts'])
    .filter(({ path }) => !path.endsWith('.test.ts'))
    .filter(({ text }) => /['"`](body|params|querystring|headers)\/[\w$]/.test(text))
  expect(found.map(({ path }) => path)).toEqual([])
})
