import { expect, test } from 'vitest'
import { agreementOf, collectAnswers } from './agreement.ts'

test('collects answers in the order of the nodes and keeps why the others rejected', async () => {
  const limited = new Error('429')
  const asked = [Promise.resolve('a'), Promise.reject(limited), Promise.resolve('b')]
  expect(await collectAnswers(asked)).toEqual({ answers: ['a', 'b'], rejections: [limited] })
})

test('is unavailable below the quorum, and without any answer', () => {
  expect(agreementOf([], { quorum: 0 })).toEqual({ outcome: 'unavailable' })
  expect(agreementOf([1n], { quorum: 2 })).toEqual({ outcome: 'unavailable' })
  expect(agreementOf([1n], { quorum: 1 })).toEqual({ outcome: 'agreed', answer: 1n })
})

test('agrees only when every answer is equal, also above the quorum', () => {
  const block = { number: 7, hash: '0xa', at: 1n }
  const same = { at: 1n, hash: '0xa', number: 7 }
  expect(agreementOf([block, same], { quorum: 2 })).toEqual({ outcome: 'agreed', answer: block })
  const other = { ...block, at: 2n }
  expect(agreementOf([block, same, other], { quorum: 2 })).toEqual({ outcome: 'disagree' })
  expect(agreementOf([undefined, block], { quorum: 1 })).toEqual({ outcome: 'disagree' })
  expect(agreementOf([undefined, undefined], { quorum: 1 })).toMatchObject({ outcome: 'agreed' })
})
