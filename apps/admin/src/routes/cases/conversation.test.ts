import { expect, test } from 'vitest'
import { conversationOf } from './conversation.ts'

const note = (id: string, visibleToCustomer: boolean, createdAt: string) => ({
  id,
  supportCaseId: 'c',
  authorAccountId: 'o',
  body: id,
  statusAfter: null,
  visibleToCustomer,
  createdAt,
})

test('notes, answers and messages stand in the order they were written', () => {
  const notes = [note('answer', true, '2026-11-02'), note('internal', false, '2026-11-01')]
  const messages = [
    {
      id: 'question',
      author: 'member' as const,
      accountId: 'm',
      displayName: 'Ana',
      body: 'question',
      createdAt: '2026-10-31',
    },
    {
      id: 'same as the answer',
      author: 'support' as const,
      accountId: null,
      displayName: null,
      body: 'answer',
      createdAt: '2026-11-02',
    },
  ]
  expect(conversationOf({ notes, messages }).map(({ id, by }) => [id, by])).toEqual([
    ['question', 'member'],
    ['internal', 'internal'],
    ['answer', 'support'],
  ])
})
