import { describe, expect, test, vi } from 'vitest'
import { markOfTask, sentenceOfTask, signatureCountOf, type Task, titleOfTask } from './tasks.ts'

vi.mock('@lingui/core/macro', () => ({
  msg: (given: readonly string[] | { message: string }) => {
    const message = 'message' in given ? given.message : given.join('…')
    return { id: message, message }
  },
}))

const task = (aggregateType: Task['aggregateType'], state: string, code: string | null = null) =>
  ({ aggregateType, state, code, group: 'needs_action' }) as Task

describe('what is due is said in the language of the reader', () => {
  test.each([
    ['expense', 'needs_review', null, 'An owner or a manager needs to review it.'],
    ['expense', 'blocked', 'policy_paused', 'The policy is paused.'],
    ['payment', 'blocked', 'policy_paused', 'The policy is paused.'],
    ['payment', 'reconciling', null, 'Whether the payment went through is being checked.'],
    ['agent_run', 'failed', 'out_of_tries', 'The analysis failed.'],
    ['integration', 'unrecorded', null, 'Find out who sent it, then acknowledge it.'],
    [
      'integration',
      'activation_due',
      'gas_missing',
      'It has waited long enough, and the service cannot put it into force.',
    ],
  ] as const)('%s %s %s', (kind, state, code, sentence) => {
    expect(sentenceOfTask(task(kind, state, code))?.id).toBe(sentence)
  })

  test('but not where the mark says it all', () => {
    expect(sentenceOfTask(task('expense', 'paid'))).toBeNull()
    expect(markOfTask(task('expense', 'paid')).kind).toBe('done')
  })
})

test('a policy that waits is not work in progress', () => {
  expect(markOfTask(task('integration', 'waiting')).kind).toBe('waiting')
})

test('a title is translated only where nobody wrote it', () => {
  expect(titleOfTask(task('expense', 'draft'))).toBeUndefined()
  expect(titleOfTask(task('integration', 'pending'))?.id).toMatch(/new member/)
})

test.each([
  ['expense', 'a state of a newer service'],
  ['integration', 'constructor'],
  ['service', 'down'],
] as const)('a task without words here keeps those of the service: %s, %s', (kind, state) => {
  expect(sentenceOfTask(task(kind, state))).toBeUndefined()
  expect(titleOfTask(task(kind, state))).toBeUndefined()
  expect(markOfTask(task(kind, state)).kind).toBe('warning')
})

test('signatures are counted only where more than one person must sign', () => {
  const count = (requiredApprovals: number | null, signedApprovals: number | null) =>
    signatureCountOf({ requiredApprovals, signedApprovals })
  expect(count(2, 1)).toEqual({ signed: 1, required: 2 })
  expect(count(2, 0)).toEqual({ signed: 0, required: 2 })
  expect(count(1, 0)).toBeNull()
  expect(count(null, null)).toBeNull()
})
