/** The steps of workers that follow the journal: how they go on after one. */
import { beforeAll, describe, expect, test } from 'vitest'
import type { Context } from '#context.ts'
import { indexWords } from '#expenses/index-words.ts'
import { type JournalStepOutcome, startJournalFollower } from '#journal/follower.ts'
import { createOrganization, type TestApp } from '#test/support/app.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import { followWebhooks } from '#webhooks/follow-webhooks.ts'

const EVENTS_AT_ONCE = 500

let service: TestApp
let organizationId: string

beforeAll(async () => {
  service = await sharedTestApp()
  organizationId = (await createOrganization(service)).id
})

/** In one transaction. */
const addEvents = (count: number) =>
  service.database.asOwner(
    `insert into live_events (id, organization_id, audience, kind, aggregate_type, aggregate_id,
       target_state, severity, occurred_at)
     select gen_random_uuid(), $1, 'both', 'payment.changed', 'payment', gen_random_uuid(),
       'blocked', 'healthy', now()
     from generate_series(1, $2::integer)`,
    [organizationId, count],
  )

const steps: [string, (ctx: Context) => Promise<JournalStepOutcome>][] = [
  ['webhooks', followWebhooks],
  ['the search', indexWords],
]

describe.each(steps)('%s', (_name, step) => {
  /** Another test's transaction may withhold events for a while. */
  const untilRead = () => expect.poll(() => step(service.ctx)).toBe('idle')

  test('go on at once after a full step, and rest after the last one', async () => {
    await untilRead()
    await addEvents(EVENTS_AT_ONCE + 1)
    await expect.poll(() => step(service.ctx), { interval: 1 }).toBe('moved')
    await untilRead()
  })
})

test('many notifications in a row lead to few steps, and to one after the last', async () => {
  const startedAt: number[] = []
  const run = async (): Promise<JournalStepOutcome> => {
    startedAt.push(performance.now())
    return 'idle'
  }
  const follower = startJournalFollower(service.ctx, [{ name: 'a test', run }])
  try {
    await expect.poll(() => startedAt.length).toBeGreaterThan(0)
    const start = performance.now()
    for (const _ of Array(50)) {
      await service.database.asOwner(`select pg_notify('countersign_live', '')`)
    }
    const end = performance.now()
    await expect.poll(() => startedAt.at(-1)).toBeGreaterThan(end)
    const during = startedAt.filter((at) => at > start && at < end)
    expect(during.length).toBeLessThanOrEqual(1 + (end - start) / 100)
  } finally {
    await follower.stop()
  }
})
