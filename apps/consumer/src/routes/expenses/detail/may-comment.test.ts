import { expect, it } from 'vitest'
import { mayComment } from './may-comment.ts'

const expense = { submitterAccountId: 'ana' }

it.each([
  ['owner', 'ben', true],
  ['manager', 'ben', true],
  ['employee', 'ana', true],
  ['employee', 'ben', false],
] as const)('an %s who is %s comments on an expense of Ana: %s', (role, accountId, may) => {
  expect(mayComment(expense, { role, accountId })).toBe(may)
})
