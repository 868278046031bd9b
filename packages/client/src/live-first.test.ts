/** A feed whose first snapshot was asked for before it began. */
import { expect, test } from 'vitest'
import { createClient } from './client.ts'
import { transportFailure } from './errors.ts'
import { followLive, type LiveOptions, type LiveSnapshot } from './live.ts'
import { fakeTimers, json } from './testing.ts'

const scope = { organizationId: '0191a000-0000-7000-8000-000000000001' }

/** What was asked for, and the snapshots that were seen, after 20 s. */
async function follow(first: LiveOptions['first']) {
  const asked: string[] = []
  const seen: string[] = []
  const timers = fakeTimers()
  const client = createClient({
    baseUrl: 'https://api.test',
    timers,
    random: () => 0.5,
    retry: { attemptsMax: 1 },
    fetch: async ({ url, headers }) => {
      if (!url.endsWith('/stream')) {
        asked.push('snapshot')
        return json({ cursor: 'second' })
      }
      asked.push(`stream after ${headers.get('last-event-id')}`)
      return new Response(new ReadableStream())
    },
  })
  const feed = followLive(client, {
    scope,
    first,
    onSnapshot: ({ cursor }) => void seen.push(String(cursor)),
    onEvent: () => undefined,
  })
  await timers.advance(20_000)
  feed.stop()
  return { asked, seen }
}

test('is continued by the stream, and not asked for again', async () => {
  const data = { cursor: 'first' } as LiveSnapshot
  const about = { headers: new Headers(), status: 200, attempts: 1 }
  const { asked, seen } = await follow(Promise.resolve({ ok: true, data, ...about }))
  expect(asked).toEqual(['stream after first'])
  expect(seen).toEqual(['first'])
})

test('is asked for again if it did not arrive', async () => {
  const failure = transportFailure('network', { mayHaveTakenEffect: false, cause: null })
  const { asked, seen } = await follow(Promise.resolve({ ok: false, failure, attempts: 1 }))
  expect(asked).toEqual(['snapshot', 'stream after second'])
  expect(seen).toEqual(['second'])
})
