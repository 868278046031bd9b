/**
 * Guesses at invitation tokens, random and close to real ones, all get the same answer.
 * `PROVE_GUESSES=100000` runs the full proof.
 */
import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import {
  type Answer,
  createOrganization,
  type Organization,
  startTestApp,
  type TestApp,
} from '#test/support/app.ts'
import { isProof, reportFigures, sizeOf } from '#test/support/figures.ts'
import { accept, invite, membersOf, times } from '#test/support/steps.ts'

const GUESSES = sizeOf('PROVE_GUESSES', 400)
const PEOPLE = isProof('PROVE_GUESSES') ? 100 : 20
const TRIES_A_MINUTE = 10
const OPEN = 10
/** A session lasts an hour. */
const MINUTES_OF_A_SESSION = 40

vi.setConfig({ testTimeout: 60_000 + 60 * GUESSES })

let service: TestApp
let organization: Organization
let open: string[]
let ended: string[]

beforeAll(async () => {
  service = await startTestApp()
  organization = await createOrganization(service)
  const made = () => invite(service, organization, { role: 'employee' })
  open = (await Promise.all(times(OPEN, made))).map(({ body }) => body.inviteToken)
  const [used, revoked] = [await made(), await made()]
  expect((await accept(service, await service.signIn(), used.body.inviteToken)).status).toBe(200)
  const path = `${organization.path}/invitations/${revoked.body.id}/revoke`
  const { token } = organization.owner
  expect((await service.call('POST', path, { token })).status).toBe(200)
  ended = [used.body.inviteToken, revoked.body.inviteToken]
})
afterEach(() => {
  vi.useRealTimers()
})
afterAll(() => service.stop())

const random = (): string => randomBytes(32).toString('base64url')

/** Changes one character of an open token. */
function near(n: number): string {
  const token = open[n % OPEN] ?? ''
  const place = n % token.length
  const other = token[place] === 'A' ? 'B' : 'A'
  return `${token.slice(0, place)}${other}${token.slice(place + 1)}`
}

/** In turn: random, close, a part of a token, an ended one. */
function guess(n: number): string {
  const kinds = [random, () => near(n), random, () => (open[n % OPEN] ?? '').slice(0, 42)]
  if (n % 100 === 99) return ended[Math.floor(n / 100) % 2] ?? ''
  return kinds[n % kinds.length]?.() ?? ''
}

/** Everything a caller could compare, except the caller's own remaining rate limit. */
const looks = ({ status, text, headers }: Answer): string =>
  `${status} ${text} ${Object.keys(headers).toSorted().join()}`

test(`${GUESSES} guesses have one answer, and none of them joins`, async () => {
  let at = Date.now()
  let minute = 0
  let people: { token: string }[] = []
  const seen = new Map<string, number>()
  for (let tried = 0; tried < GUESSES; tried += PEOPLE * TRIES_A_MINUTE, minute += 1) {
    // Each account may try ten times a minute, so the clock is advanced.
    at += 61_000
    vi.useFakeTimers({ toFake: ['Date'], now: at })
    // The database has its own clock.
    await service.database.asOwner('delete from rate_leases')
    if (minute % MINUTES_OF_A_SESSION === 0) {
      people = await Promise.all(times(PEOPLE, () => service.signIn()))
    }
    const count = Math.min(PEOPLE * TRIES_A_MINUTE, GUESSES - tried)
    for (let turn = 0; turn < count; turn += PEOPLE) {
      const asking = people.slice(0, count - turn).map(({ token }, k) => {
        const path = `/v1/consumer/invitations/${guess(tried + turn + k)}/accept`
        return service.call('POST', path, { token, headers: { 'x-request-id': 'same' } })
      })
      for (const answer of (await Promise.all(asking)).map(looks)) {
        seen.set(answer, (seen.get(answer) ?? 0) + 1)
      }
    }
  }
  vi.useRealTimers()
  const members = await membersOf(service, organization)
  const guesses = [...seen.values()].reduce((sum, count) => sum + count, 0)
  reportFigures({ guesses, distinguishable: seen.size - 1, joinedByGuess: members.length - 2 })
  expect([...seen.keys()]).toEqual([expect.stringMatching(/^409 .*"invitation_unusable"/)])
  expect(guesses).toBe(GUESSES)
  expect(members).toHaveLength(2)
  // The open invitations are unaffected: a real token still works.
  const late = await service.signIn()
  expect((await accept(service, late, open[0] ?? '')).status).toBe(200)
})
