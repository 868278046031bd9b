/**
 * Ids of another tenant get the same responses as ids of nothing. `npm run prove -- S16` also
 * bounds how much their response times differ: it asks for both, one right after the other and in
 * random order, thousands of times. Of every ten pairs it takes the fastest response of each side,
 * which other load on the machine delays least, and it reports the confidence interval of the
 * median difference.
 */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createRandom } from '#test/fuzz/random.ts'
import { type House, house } from '#test/security/house.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { reportFigures, sizeOf } from '#test/support/figures.ts'

const TIMINGS = sizeOf('PROVE_TIMINGS', 10)
const SEED = 20_261_118
const WARM_UP = TIMINGS > 100 ? 200 : 0
const FASTEST_OF = 10

vi.setConfig({ testTimeout: 60_000 + 500 * TIMINGS, hookTimeout: 60_000 })

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

/** Both sides repeat one id, so that neither is found in a cache more often than the other. */
type Pair = { method?: string; there: string; missing: string }

const inOwn = (path: string) => `${own.organization.path}/${path}`

/** Ids of another tenant and ids of nothing, wherever a caller can name one. */
const pairs = (): Record<string, Pair> => {
  const nothing = randomUUID()
  const elsewhere = `/v1/consumer/organizations/${nothing}`
  const { organization } = other
  return {
    organization: {
      there: `${organization.path}/overview`,
      missing: `${elsewhere}/overview`,
    },
    'expenses of an organization': {
      there: `${organization.path}/expenses`,
      missing: `${elsewhere}/expenses`,
    },
    expense: {
      there: inOwn(`expenses/${other.reportedExpenseId}`),
      missing: inOwn(`expenses/${nothing}`),
    },
    report: { there: inOwn(`reports/${other.reportId}`), missing: inOwn(`reports/${nothing}`) },
    payment: { there: inOwn(`payments/${other.paymentId}`), missing: inOwn(`payments/${nothing}`) },
    recipient: {
      method: 'POST',
      there: inOwn(`recipients/${other.recipientId}/deactivate`),
      missing: inOwn(`recipients/${nothing}/deactivate`),
    },
    membership: {
      method: 'POST',
      there: inOwn(`members/${other.membershipId}/revoke`),
      missing: inOwn(`members/${nothing}/revoke`),
    },
  }
}

const requestId = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

type Timed = { microseconds: number; response: string }

async function ask(url: string, method = 'GET'): Promise<Timed> {
  const headers = { authorization: `Bearer ${own.organization.owner.token}` }
  const begun = performance.now()
  const answer = await service.app.inject({ method: method as 'GET', url, headers })
  const microseconds = 1_000 * (performance.now() - begun)
  return { microseconds, response: `${answer.statusCode} ${answer.payload.replace(requestId, '')}` }
}

/** Of every block of pairs, how much longer the existing id took; and all distinct responses. */
async function compare({ method, there, missing }: Pair) {
  const random = createRandom(SEED)
  const differences: number[] = []
  const responses = new Set<string>()
  const askBoth = async (): Promise<Record<'there' | 'missing', number>> => {
    const isFirst = random.chance(0.5)
    const one = await ask(isFirst ? there : missing, method)
    const next = await ask(isFirst ? missing : there, method)
    responses.add(one.response).add(next.response)
    const [early, late] = [one.microseconds, next.microseconds]
    return isFirst ? { there: early, missing: late } : { there: late, missing: early }
  }
  for (let n = 0; n < WARM_UP; n += 1) await askBoth()
  for (let n = 0; n < TIMINGS; n += FASTEST_OF) {
    const block: Awaited<ReturnType<typeof askBoth>>[] = []
    for (let k = 0; k < FASTEST_OF; k += 1) block.push(await askBoth())
    const fastest = (side: 'there' | 'missing') => Math.min(...block.map((pair) => pair[side]))
    differences.push(fastest('there') - fastest('missing'))
  }
  return { differences, responses }
}

/** 99.9 % two-sided, of the normal distribution. */
const Z = 3.2905

/**
 * The median and its confidence interval from the sorted values alone (the sign test): it needs no
 * assumption about how the noise of a machine is distributed.
 */
function medianOf(values: readonly number[]) {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (place: number) =>
    sorted[Math.min(sorted.length - 1, Math.max(0, Math.floor(place)))] ?? Number.NaN
  const [middle, half] = [(sorted.length - 1) / 2, (Z * Math.sqrt(sorted.length)) / 2]
  const [low, high] = [at(middle - half), at(Math.ceil(middle + half))]
  return { median: at(middle), low, high, bound: Math.max(Math.abs(low), Math.abs(high)) }
}

test('the interval excludes zero for a shift, and includes it without one', () => {
  const random = createRandom(SEED)
  const noise = (shift: number) =>
    Array.from({ length: 2_000 }, () => 100 * (random.next() - random.next()) + shift)
  const [still, moved] = [medianOf(noise(0)), medianOf(noise(10))]
  expect(still.low).toBeLessThan(0)
  expect(still.high).toBeGreaterThan(0)
  expect(moved.low).toBeGreaterThan(0)
  expect(moved.high).toBeLessThan(20)
  expect(moved.bound).toBe(moved.high)
})

test(`ids of another tenant are answered like ids of nothing, ${TIMINGS} times`, async () => {
  const entries = Object.entries(pairs())
  const results: Record<string, Record<string, number>> = {}
  const unequal: string[][] = []
  for (const [name, pair] of entries) {
    const { differences, responses } = await compare(pair)
    const rounded = Object.entries(medianOf(differences)).map(([key, value]) => [
      key,
      Number(value.toFixed(1)),
    ])
    results[name] = Object.fromEntries(rounded)
    expect([...responses][0]).toMatch(/^40[34] /)
    if (responses.size > 1) unequal.push([name, ...responses])
  }
  const all = Object.values(results)
  const enumeration = {
    kinds: entries.length,
    timings: TIMINGS,
    differing: unequal.length,
    boundMax: Math.max(...all.map(({ bound = Number.NaN }) => bound)),
    differenceMax: Math.max(...all.map(({ median = Number.NaN }) => Math.abs(median))),
    significant: all.filter(({ low = 0, high = 0 }) => low > 0 || high < 0).length,
    results,
  }
  reportFigures({ seed: SEED, enumeration })
  expect(unequal).toEqual([])
})

test('a revoked invitation is answered like an unknown one', async () => {
  const person = await service.signIn()
  const accept = (token: string) =>
    service.call('POST', `/v1/consumer/invitations/${token}/accept`, { token: person.token })
  const [revoked, unknown] = [await accept(usedToken), await accept('x'.repeat(usedToken.length))]
  expect(revoked.status).toBe(unknown.status)
  expect(revoked.text.replace(requestId, '')).toBe(unknown.text.replace(requestId, ''))
})
