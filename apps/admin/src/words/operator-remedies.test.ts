import { BLOCK_CODES } from '@countersign/app-kit/words/block-codes.ts'
import { expect, test, vi } from 'vitest'
import { nextStepOf } from '../subjects/next-step.ts'
import { OPERATOR_REMEDIES } from './operator-remedies.ts'

vi.mock('@lingui/core/macro', () => ({ msg: (parts: readonly string[]) => ({ id: parts.join() }) }))

test('every code that an operator has to look into says what to do, and no other does', () => {
  const quiet = { payment: null, attempts: [], attemptsAhead: [] }
  const codes = Object.keys(BLOCK_CODES).filter(
    (blockCode) =>
      nextStepOf({ ...quiet, expense: { state: 'blocked', blockCode } }, 0) === 'investigate',
  )
  expect(Object.keys(OPERATOR_REMEDIES).sort()).toEqual(codes.sort())
})
