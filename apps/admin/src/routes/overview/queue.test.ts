import { expect, test } from 'vitest'
import { worstFirst } from './queue.ts'

const task = (
  id: string,
  aggregateType: 'payment' | 'support_case' | 'agent_run',
  state: string,
) => ({
  id,
  aggregateType,
  state,
  updatedAt: `2026-11-0${id}T00:00:00Z`,
})

test('stuck money comes first, then people who wait, then what may settle by itself', () => {
  const tasks = [
    task('1', 'payment', 'reconciling'),
    task('2', 'support_case', 'investigating'),
    task('3', 'agent_run', 'failed'),
    task('4', 'support_case', 'open'),
    task('5', 'payment', 'blocked'),
  ]
  expect(worstFirst(tasks).map(({ id }) => id)).toEqual(['5', '4', '2', '3', '1'])
})

test('of equals, whoever has waited longest comes first', () => {
  const tasks = [task('3', 'payment', 'failed'), task('2', 'payment', 'blocked')]
  expect(worstFirst(tasks).map(({ id }) => id)).toEqual(['2', '3'])
  expect(tasks.map(({ id }) => id)).toEqual(['3', '2'])
})
