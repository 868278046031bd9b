/**
 * Resources of others are indistinguishable from missing ones, in bytes and in time. `npm run prove
 * -- S16` times each a thousand times.
 */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createRandom } from '#test/fuzz/random.ts'
import { type House, house } from '#test/security/house.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { percentile, sizeOf, tellFigures } from '#test/support/figures.ts'

const TIMINGS = sizeOf('PROVE_TIMINGS', 10)
const SEED = 20_261_118

vi.setConfig({ testTimeout: 60_000 + 200 * TIMINGS, hookTimeout: 60_000 })

let service: TestApp
let own: House
let other: House
let usedToken: string

beforeAll(async () => {
  service = await startTestApp({ env: { RATE_LIMIT_PER_ACCOUNT: '1000000000' } })
  own = await house(service)
  other = await house(service)
  usedToken = await revokedInvitation(other)
})
afterAll(() => service.stop())

async function revokedInvitation({ organization }: House): Promise<string> {
  const { token } = organization.owner
  const headers = { 'idempotency-key': randomUUID() }
  const path = `${organization.path}/invitations`
  const made = await service.call('POST', path, { token, headers, body: { role: 'employee' } })
  const revoked = await service.call('POST', `${path}/${made.body.id}/revoke`, { token })
  expect(revoked.status).toBe(200)
  return made.body.inviteToken
}

type Pair = { method?: string; body?: unknown; there(): string; missing(): string }

const inOwn = (path: string) => `${own.organization.path}/${path}`

/** Ids of another tenant beside unknown ids, for every kind of request. */
const pairs = (): Record<string, Pair> => ({
  organization: {
    there: () => `${other.organization.path}/overview`,
    missing: () => `/v1/consumer/organizations/${randomUUID()}/overview`,
  },
  'expenses of an organization': {
    there: () => `${other.organization.path}/expenses`,
    missing: () => `/v1/consumer/organizations/${randomUUID()}/expenses`,
  },
  expense: {
    there: () => inOwn(`expenses/${other.reportedExpenseId}`),
    missing: () => inOwn(`expenses/${randomUUID()}`),
  },
  report: {
    there: () => inOwn(`reports/${other.reportId}`),
    missing: () => inOwn(`reports/${randomUUID()}`),
  },
  payment: {
    there: () => inOwn(`payments/${other.paymentId}`),
    missing: () => inOwn(`payments/${randomUUID()}`),
  },
  recipient: {
    method: 'POST',
    there: () => inOwn(`recipients/${other.recipientId}/deactivate`),
    missing: () => inOwn(`recipients/${randomUUID()}/deactivate`),
  },
  membership: {
    method: 'POST',
    there: () => inOwn(`members/${other.membershipId}/revoke`),
    missing: () => inOwn(`members/${randomUUID()}/revoke`),
  },
})

const requestId = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

type Timed = { ms: number; bytes: string }

async function ask(url: string, { method = 'GET', body }: Pair): Promise<Timed> {
  const { token } = own.organization.owner
  const begun = performance.now()
  const response = await service.app.inject({
    method: method as 'GET',
    url,
    headers: { authorization: `Bearer ${token}` },
    ...(body !== undefined && { payload: JSON.stringify(body) }),
  })
  const ms = performance.now() - begun
  return { ms, bytes: `${response.statusCode} ${response.payload.replace(requestId, '')}` }
}

/** In random order, so that other load affects both groups equally. */
async function time(
  pair: Pair,
): Promise<{ there: number[]; missing: number[]; bytes: Set<string> }> {
  const random = createRandom(SEED)
  const found = { there: [] as number[], missing: [] as number[], bytes: new Set<string>() }
  for (let n = 0; n < 20; n += 1) await ask(n % 2 ? pair.there() : pair.missing(), pair)
  while (found.there.length < TIMINGS || found.missing.length < TIMINGS) {
    const isFull = (side: 'there' | 'missing') => found[side].length >= TIMINGS
    const chosen = random.chance(0.5) ? 'there' : 'missing'
    const side = isFull(chosen) ? (chosen === 'there' ? 'missing' : 'there') : chosen
    const { ms, bytes } = await ask(pair[side](), pair)
    found[side].push(ms)
    found.bytes.add(bytes)
  }
  return found
}

/** Mann-Whitney U test: the two-sided p-value of the difference. */
function pValue(a: readonly number[], b: readonly number[]): number {
  const all = [...a.map((ms) => ({ ms, isA: true })), ...b.map((ms) => ({ ms, isA: false }))]
  all.sort((one, next) => one.ms - next.ms)
  const rankSum = all.reduce((sum, { isA }, place) => sum + (isA ? place + 1 : 0), 0)
  const u = rankSum - (a.length * (a.length + 1)) / 2
  const mean = (a.length * b.length) / 2
  const deviation = Math.sqrt((a.length * b.length * (a.length + b.length + 1)) / 12)
  const z = Math.abs(u - mean) / deviation
  // Tail of the normal distribution, Abramowitz and Stegun 26.2.17.
  const t = 1 / (1 + 0.2316419 * z)
  const series =
    t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
  return Math.min(1, 2 * (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * series)
}

test('the statistic detects a difference, and none between equal samples', () => {
  const random = createRandom(SEED)
  const sample = (shift: number) => Array.from({ length: 1_000 }, () => random.next() + shift)
  expect(pValue(sample(0), sample(0))).toBeGreaterThan(0.01)
  expect(pValue(sample(0), sample(0.1))).toBeLessThan(0.001)
})

test(`a foreign resource is answered like a missing one, ${TIMINGS} times each`, async () => {
  const entries = Object.entries(pairs())
  const results: Record<string, { p: number; differenceMicroseconds: number }> = {}
  let bytesDiffering = 0
  for (const [name, pair] of entries) {
    const { there, missing, bytes } = await time(pair)
    const [first = ''] = bytes
    expect(first).toMatch(/^40[34] /)
    if (bytes.size > 1) bytesDiffering += 1
    const difference = percentile(there, 0.5) - percentile(missing, 0.5)
    const differenceMicroseconds = Math.round(1_000 * difference)
    results[name] = { p: Number(pValue(there, missing).toFixed(5)), differenceMicroseconds }
  }
  const pMin = Math.min(...Object.values(results).map(({ p }) => p))
  const differenceMax = Math.max(
    ...Object.values(results).map((one) => Math.abs(one.differenceMicroseconds)),
  )
  const figures = { pairs: entries.length, timings: TIMINGS, bytesDiffering, pMin, differenceMax }
  tellFigures({ seed: SEED, enumeration: { ...figures, results } })
  expect(bytesDiffering).toBe(0)
})

test('a revoked invitation is answered like an unknown one', async () => {
  const person = await service.signIn()
  const accept = (token: string) =>
    service.call('POST', `/v1/consumer/invitations/${token}/accept`, { token: person.token })
  const [revoked, unknown] = [await accept(usedToken), await accept('x'.repeat(usedToken.length))]
  expect(revoked.status).toBe(unknown.status)
  expect(revoked.text.replace(requestId, '')).toBe(unknown.text.replace(requestId, ''))
})
