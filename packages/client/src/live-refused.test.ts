/** A stream that is refused with 401, although the snapshot was answered a moment before. */
import { expect, test } from 'vitest'
import { createClient } from './client.ts'
import { followLive, type LiveState } from './live.ts'
import { fakeTimers, json, refusal } from './testing.ts'

const scope = { organizationId: '0191a000-0000-7000-8000-000000000001' }

/** Answers in order; the last one again and again. */
async function follow(answers: { snapshots: (() => Response)[]; streams: (() => Response)[] }) {
  const asked: string[] = []
  const states: LiveState[] = []
  const timers = fakeTimers()
  const next = (of: (() => Response)[]) => (of.length > 1 ? of.shift() : of[0])?.() as Response
  const client = createClient({
    baseUrl: 'https://api.test',
    timers,
    random: () => 0.5,
    retry: { attemptsMax: 1 },
    fetch: async ({ url }) => {
      const isStream = url.endsWith('/stream')
      asked.push(isStream ? 'stream' : 'snapshot')
      return next(isStream ? answers.streams : answers.snapshots)
    },
  })
  const feed = followLive(client, {
    scope,
    onSnapshot: () => undefined,
    onEvent: () => undefined,
    onState: (state) => void states.push(state),
  })
  await timers.advance(2_999)
  return { asked, states, timers, feed }
}

const snapshot = () => json({ cursor: 's1' })
const refusedStream = () => refusal(401, 'unauthenticated')

test.each([
  [403, 'operator_required'],
  [403, 'forbidden'],
  [401, 'unauthenticated'],
])('ends as the snapshot says: %i %s', async (status, code) => {
  const snapshots = [snapshot, () => refusal(status, code)]
  const { asked, feed } = await follow({ snapshots, streams: [refusedStream] })
  expect(asked).toEqual(['snapshot', 'stream', 'snapshot'])
  expect(feed.state).toMatchObject({ reason: 'refused', failure: { code } })
})

test('is tried again while the snapshot is answered, but not in a hurry', async () => {
  const speaks = () => new Response(': keepalive\n\n')
  const streams = [refusedStream, refusedStream, speaks]
  const { asked, states, timers, feed } = await follow({ snapshots: [snapshot], streams })
  expect(asked).toEqual(['snapshot', 'stream', 'snapshot', 'stream'])
  expect(states).toEqual([])
  await timers.advance(10_000)
  expect(asked.slice(4, 6)).toEqual(['snapshot', 'stream'])
  expect(states[0]).toEqual({ phase: 'live' })
  feed.stop()
})
