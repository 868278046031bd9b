import { expect, test } from 'vitest'
import { readStartFlags } from './start-flags.ts'

test('without flags there is no demo, and --demo asks for one', () => {
  expect(readStartFlags([])).toEqual({ demo: false })
  expect(readStartFlags(['--demo'])).toEqual({ demo: true })
})

test.each([['--dmeo'], ['demo'], ['--demo', '--help'], ['']])(
  'refuses %j in one line',
  (...args) => {
    expect(() => readStartFlags(args)).toThrow(expect.objectContaining({ exitCode: 2 }))
    expect(() => readStartFlags(args)).toThrow(/Its only flag is --demo/)
  },
)
