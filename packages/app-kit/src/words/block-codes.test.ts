import { expect, test, vi } from 'vitest'
import page from '../../../../docs/PAYMENTS.md?raw'
import { BLOCK_CODES, blockWords } from './block-codes.ts'

vi.mock('@lingui/core/macro', () => ({
  msg: (parts: readonly string[]) => ({ id: parts.join('…'), message: parts.join('…') }),
}))

const documented = (): string[] => {
  const table = page.split('## Codes of a blocked or failed payment')[1]?.split('\n## ')[0] ?? ''
  return [...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, code]) => code ?? '')
}

test('every documented block code has words and a way out, and no other has', () => {
  expect(documented().length).toBeGreaterThan(40)
  expect(Object.keys(BLOCK_CODES).sort()).toEqual(documented().sort())
  for (const { ways } of Object.values(BLOCK_CODES)) expect(ways.length).toBeGreaterThan(0)
})

test('a code of a newer service leads to support', () => {
  expect(blockWords('moon_in_the_way').ways).toEqual(['support'])
  expect(blockWords('constructor').ways).toEqual(['support'])
  expect(blockWords(null).ways).toEqual(['support'])
})
