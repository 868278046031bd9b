import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { outdate } from './outdate.ts'

/** A page that shows a payment. Each read is answered by hand. */
function showPayment() {
  const cache = new QueryClient()
  const answers: ((state: string) => void)[] = []
  const observer = new QueryObserver(cache, {
    queryKey: ['getPayment', {}],
    queryFn: () => new Promise<string>((resolve) => answers.push(resolve)),
  })
  const stop = observer.subscribe(() => {})
  const shown = () => observer.getCurrentResult().data
  return { cache, answers, shown, stop }
}

test('a first read that an event overtakes is repeated', async () => {
  const { cache, answers, shown, stop } = showPayment()
  outdate(cache, ['getPayment'])
  answers[0]?.('queued')
  await expect.poll(() => answers.length).toBe(2)
  answers[1]?.('confirmed')
  await expect.poll(shown).toBe('confirmed')
  stop()
})

test('a later read is started anew, and only what an event outdates', async () => {
  const { cache, answers, shown, stop } = showPayment()
  answers[0]?.('queued')
  await expect.poll(shown).toBe('queued')
  outdate(cache, ['getExpense'])
  expect(answers).toHaveLength(1)
  outdate(cache, ['getPayment'])
  outdate(cache, ['getPayment'])
  await expect.poll(() => answers.length).toBe(3)
  answers[2]?.('confirmed')
  answers[1]?.('broadcast')
  await expect.poll(shown).toBe('confirmed')
  stop()
})
