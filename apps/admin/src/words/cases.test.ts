import { expect, test, vi } from 'vitest'
import page from '../../../../docs/STATES.md?raw'
import { NEXT_STATES, stillPossible } from './cases.ts'

vi.mock('@lingui/core/macro', () => ({ msg: (parts: readonly string[]) => ({ id: parts.join() }) }))

test('a case can go where docs/STATES.md lets it go, and nowhere else', () => {
  const table = page.split('## Support case')[1]?.split('\n## ')[0] ?? ''
  const documented = [...table.matchAll(/^\| `(\w+)` \| `\w+` \| `(\w+)` \|/gm)].map(
    ([, from, to]) => `${from} to ${to}`,
  )
  const offered = Object.entries(NEXT_STATES).flatMap(([from, nexts]) =>
    nexts.map((to) => `${from} to ${to}`),
  )
  expect(offered.sort()).toEqual(documented.sort())
})

test('a choice stays when the case moves, as long as it is possible', () => {
  expect(stillPossible('resolved', 'investigating')).toBe('resolved')
  expect(stillPossible('investigating', 'investigating')).toBe('')
  expect(stillPossible('resolved', 'reopened')).toBe('')
  expect(stillPossible('', 'open')).toBe('')
})
