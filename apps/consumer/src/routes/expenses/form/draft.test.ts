import { expect, test } from 'vitest'
import { forgetDraft, keepDraft, newDraft, readDraft } from './draft.ts'
import { EMPTY } from './values.ts'

function storage(): Storage {
  const kept = new Map<string, string>()
  return {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, text: string) => void kept.set(name, text),
    removeItem: (name: string) => void kept.delete(name),
  } as Storage
}

test('a reload finds what was typed, with the same key', () => {
  const store = storage()
  const draft = newDraft({ ...EMPTY, purpose: 'Printing', amount: '75' })
  keepDraft(store, 'o1', draft)
  expect(readDraft(store, 'o1')).toEqual(draft)
  expect(readDraft(store, 'o2')).toBeNull()
  forgetDraft(store, 'o1')
  expect(readDraft(store, 'o1')).toBeNull()
})

test('what cannot be read is as good as nothing', () => {
  const store = storage()
  for (const text of ['{', '"x"', '{"key":1}']) {
    store.setItem('countersign.expense.o1', text)
    expect(readDraft(store, 'o1')).toBeNull()
  }
})

test('two forms have two keys', () => {
  expect(newDraft(EMPTY).key).not.toBe(newDraft(EMPTY).key)
})
