import type { LiveSnapshot } from '@countersign/client/live.ts'
import type { Result } from '@countersign/client/result.ts'
import { expect, test } from 'vitest'
import { createSnapshotReads } from './snapshot-reads.ts'

type Answer = Result<LiveSnapshot>

const snapshot = (cursor: string) =>
  ({ ok: true, data: { cursor } as LiveSnapshot, attempts: 1 }) as Answer
const FAILED = { ok: false, attempts: 4 } as Answer

/** Each read is answered by hand. */
function start() {
  const answers: ((answer: Answer) => void)[] = []
  const shown: (string | null)[] = []
  const reads = createSnapshotReads({
    read: () => new Promise((resolve) => answers.push(resolve)),
    onSnapshot: ({ cursor }) => void shown.push(cursor),
    retryMs: 1,
  })
  const asked = (count: number) => expect.poll(() => answers.length).toBe(count)
  const readTwice = async () => {
    reads.request()
    await asked(1)
    reads.request()
    await asked(2)
  }
  return { reads, answers, shown, asked, readTwice }
}

test('several changes are read together', async () => {
  const { reads, answers, shown, asked } = start()
  reads.request()
  reads.request()
  await asked(1)
  answers[0]?.(snapshot('a'))
  await expect.poll(() => shown).toEqual(['a'])
  reads.request()
  await asked(2)
  reads.stop()
})

test('an older answer does not take the place of a newer one', async () => {
  const { reads, answers, shown, readTwice } = start()
  await readTwice()
  answers[1]?.(snapshot('newer'))
  await expect.poll(() => shown).toEqual(['newer'])
  answers[0]?.(snapshot('older'))
  reads.request()
  await expect.poll(() => answers.length).toBe(3)
  answers[2]?.(snapshot('newest'))
  await expect.poll(() => shown).toEqual(['newer', 'newest'])
  reads.stop()
})

test('a failed read is repeated until one answers', async () => {
  const { reads, answers, shown, asked } = start()
  reads.request()
  for (const [nth, answer] of [FAILED, FAILED, snapshot('a')].entries()) {
    await asked(nth + 1)
    answers[nth]?.(answer)
  }
  await expect.poll(() => shown).toEqual(['a'])
  reads.stop()
})

test('a failed read is not repeated after a newer one has answered', async () => {
  const { reads, answers, shown, readTwice } = start()
  await readTwice()
  answers[1]?.(snapshot('newer'))
  answers[0]?.(FAILED)
  reads.request()
  await expect.poll(() => answers.length).toBe(3)
  answers[2]?.(snapshot('newest'))
  await expect.poll(() => shown).toEqual(['newer', 'newest'])
  expect(answers).toHaveLength(3)
  reads.stop()
})

test('a snapshot of the feed makes earlier reads doubtful, so there is another', async () => {
  const { reads, answers, shown, asked } = start()
  reads.overtake()
  reads.request()
  await asked(1)
  reads.overtake()
  answers[0]?.(snapshot('doubtful'))
  await asked(2)
  answers[1]?.(snapshot('certain'))
  await expect.poll(() => shown).toEqual(['certain'])
  reads.overtake()
  await asked(3)
  reads.overtake()
  reads.stop()
})

test('nothing is shown or read any more once it is stopped', async () => {
  const { reads, answers, shown, asked, readTwice } = start()
  await readTwice()
  reads.stop()
  answers[0]?.(snapshot('late'))
  answers[1]?.(FAILED)
  reads.request()
  await asked(2)
  expect(shown).toEqual([])
})
