/** A live feed over the real API: cut connections, resets, and each way a stream ends. */
import { createClient } from '@countersign/client/client.ts'
import { followLive, type LiveFeed, type LiveState } from '@countersign/client/live.ts'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import {
  createOrganization,
  joinOrganization,
  type Organization,
  type Person,
  startTestApp,
  type TestApp,
} from '#test/support/app.ts'
import { type BreakingProxy, startBreakingProxy } from '#test/support/breaking-proxy.ts'
import { baseUrl, writeEvent } from '#test/support/live.ts'
import { membershipOf, revokeMember } from '#test/support/steps.ts'

let service: TestApp
let proxy: BreakingProxy
let acme: Organization
const feeds: LiveFeed[] = []

beforeAll(async () => {
  service = await startTestApp({ streams: { lifetimeMs: 600_000 } })
  proxy = await startBreakingProxy(await baseUrl(service))
  acme = await createOrganization(service)
})
afterEach(async () => {
  for (const feed of feeds.splice(0)) {
    feed.stop()
    await feed.ended
  }
  service.ctx.config.streams.lifetimeMs = 600_000
})
afterAll(async () => {
  await proxy.close()
  await service.stop()
})

type Followed = {
  feed: LiveFeed
  events: string[]
  snapshots: number
  states: LiveState[]
  isLive(): boolean
}

async function follow({ token }: Pick<Person, 'token'>): Promise<Followed> {
  const client = createClient({
    baseUrl: proxy.url,
    token,
    random: () => 0,
    retry: { baseDelayMs: 1 },
  })
  const followed: Followed = {
    events: [],
    snapshots: 0,
    states: [],
    isLive: () => followed.feed.state.phase === 'live',
    feed: followLive(client, {
      scope: { organizationId: acme.id },
      onSnapshot: () => {
        followed.snapshots += 1
      },
      onEvent: ({ id }) => void followed.events.push(id),
      onState: (state) => void followed.states.push(state),
    }),
  }
  feeds.push(followed.feed)
  await expect.poll(followed.isLive).toBe(true)
  return followed
}

test('after a cut, every event comes once and in order', async () => {
  const live = await follow(acme.owner)
  const written = [await writeEvent(service, acme.id)]
  await expect.poll(() => live.events).toEqual(expect.arrayContaining(written))
  proxy.isOpen = false
  proxy.cut()
  for (let event = 0; event < 3; event += 1) written.push(await writeEvent(service, acme.id))
  await expect.poll(live.isLive).toBe(false)
  proxy.isOpen = true
  await expect.poll(() => live.events.length).toBeGreaterThanOrEqual(4)
  written.push(await writeEvent(service, acme.id))
  await expect.poll(() => live.events.slice(-5)).toEqual(written)
  expect(new Set(live.events).size).toBe(live.events.length)
  expect(live.snapshots).toBe(1)
})

test('a stream that ends after its lifetime is continued without a gap', async () => {
  service.ctx.config.streams.lifetimeMs = 100
  const live = await follow(acme.owner)
  const written: string[] = []
  const left = () => live.states.filter(({ phase }) => phase === 'connecting').length
  while (left() < 2) written.push(await writeEvent(service, acme.id))
  service.ctx.config.streams.lifetimeMs = 600_000
  await expect.poll(() => live.events.slice(-written.length)).toEqual(written)
})

test('a change of role resets the stream, and the snapshot is read again', async () => {
  const person = await joinOrganization(service, acme, { role: 'employee' })
  const { membershipId } = await membershipOf(service, acme, person)
  const live = await follow(person)
  const changed = await service.call('POST', `${acme.path}/members/${membershipId}/role`, {
    token: acme.owner.token,
    body: { role: 'manager' },
  })
  expect(changed.status).toBe(200)
  await expect.poll(() => live.snapshots).toBe(2)
  await expect.poll(live.isLive).toBe(true)
  const id = await writeEvent(service, acme.id)
  await expect.poll(() => live.events).toContain(id)
})

test('a revoked member’s feed ends and says why', async () => {
  const person = await joinOrganization(service, acme, { role: 'manager' })
  const { membershipId } = await membershipOf(service, acme, person)
  const live = await follow(person)
  await revokeMember(service, acme, membershipId)
  expect(await live.feed.ended).toMatchObject({ phase: 'ended', reason: 'access' })
})

test('a feed of an organization that is not the caller’s is refused', async () => {
  const { token } = await service.signIn()
  const client = createClient({ baseUrl: proxy.url, token })
  const feed = followLive(client, {
    scope: { organizationId: acme.id },
    onSnapshot: () => {},
    onEvent: () => {},
  })
  expect(await feed.ended).toMatchObject({ reason: 'refused', failure: { code: 'forbidden' } })
})
