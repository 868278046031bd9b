/** `FUZZ_SEED=7 npx vitest run test/fuzz` makes other requests than the default seed. */
import type { Sql } from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { verifyAudit } from '#journal/audit.ts'
import { openOwnerPool } from '#platform/database/database.ts'
import { AppError, type ErrorCode, errorCodes, errorStatus } from '#platform/errors.ts'
import { meetWallets } from '#test/fuzz/exporting.ts'
import { meetFunding } from '#test/fuzz/funding.ts'
import { furnish } from '#test/fuzz/furnish.ts'
import { foundQuietly, leadToPayment } from '#test/fuzz/leading.ts'
import { meetLinks } from '#test/fuzz/linking.ts'
import { operations } from '#test/fuzz/operations.ts'
import { createRandom, type Random } from '#test/fuzz/random.ts'
import { type Request, urlOf, wellMeant } from '#test/fuzz/requests.ts'
import { makeRequest } from '#test/fuzz/spoilers.ts'
import { secludedPush, secludedWebhooks } from '#test/fuzz/telling.ts'
import { makeWorld, remember, type World } from '#test/fuzz/world.ts'
import { type Answer, startTestApp, type TestApp } from '#test/support/app.ts'
import { contractProblem, findOperation } from '#test/support/contract.ts'
import { reportFigures, sizeOf } from '#test/support/figures.ts'

const SEED = sizeOf('FUZZ_SEED', 20_260_101)
const REQUESTS = sizeOf('FUZZ_REQUESTS', 1_500)
const AT_ONCE = 50

vi.setConfig({ testTimeout: Math.max(600_000, 100 * REQUESTS), hookTimeout: 120_000 })

let service: TestApp
let world: World

beforeAll(async () => {
  service = await startTestApp({
    env: { CONSUMER_APP_ORIGIN: 'https://app.example' },
    replace: { push: secludedPush(), webhooks: secludedWebhooks() },
  })
  const away = () => Promise.reject(new AppError('dependency_unavailable'))
  // No contracts are deployed: only keys sign here.
  const isValidSignature = async () => false
  const isWalletSignature = isValidSignature
  const reads = { findTransaction: away, latestBlock: away }
  Object.assign(service.ctx.chain, { ...reads, isValidSignature, isWalletSignature })
  world = await makeWorld(service)
})
afterAll(() => service.stop())

async function send(request: Request): Promise<Answer> {
  const { token, body, raw, headers } = request
  const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body))
  const response = await service.app.inject({
    method: request.method as 'GET',
    url: urlOf(request),
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(payload === undefined ? {} : { payload }),
  })
  const isJson = String(response.headers['content-type']).startsWith('application/json')
  const parsed = () => {
    try {
      return JSON.parse(response.payload)
    } catch {
      return undefined
    }
  }
  return {
    status: response.statusCode,
    text: response.payload,
    body: isJson ? parsed() : undefined,
    headers: response.headers,
  }
}

/** An error is the envelope and nothing else, with a code of the table and its status. */
function errorProblem({ status, body, headers }: Answer): string | undefined {
  const { error, ...besides } = body ?? {}
  const { code, message, requestId, ...more } = error ?? {}
  if (Object.keys(besides).length + Object.keys(more).length > 0) return 'says more than an error'
  if (!errorCodes.includes(code)) return `has the unknown code ${code}`
  const isDowngraded =
    (code === 'account_disabled' && status === 401) ||
    (code === 'idempotency_key_reused' && status === 400)
  if (errorStatus(code as ErrorCode) !== status && !isDowngraded) return `has ${code} as ${status}`
  if (typeof message !== 'string' || message === '') return 'has no message'
  if (/\bat \/|node_modules|select |insert |violates|eyJ[A-Za-z0-9]{20}/.test(message)) {
    return `leaks: ${message}`
  }
  if (requestId !== headers['x-request-id']) return 'has another request id than its header'
  if (!String(headers['content-type']).startsWith('application/json')) return 'is not JSON'
  if (status === 401 && headers['www-authenticate'] === undefined) return 'lacks a challenge'
  if (status === 429 && headers['retry-after'] === undefined) return 'lacks Retry-After'
  return undefined
}

/** The chain is unreachable here: these operations say so, and test/http/ covers them. */
const needsChain = ['confirmLedgerProof', 'invalidateApproval', 'registerVault', 'syncPolicy']

/** A deposit and a new control need the chain; a probe and an existing control do not. */
const mayNeedChain = [...needsChain, 'attachFundingControl', 'requestFundingAction']

/** Equal creations wait 5 s for the first, which can be too short on a busy machine. */
const isStillMade = ({ operation }: Request, { status, headers }: Answer): boolean =>
  /^create\w*Wallet$/.test(operation.operationId) &&
  status === 503 &&
  headers['retry-after'] === '1'

/** The router cannot decode it, so no operation is reached and no token is required. */
function isBadPath(url: string): boolean {
  try {
    decodeURIComponent(url.split('?', 1)[0] ?? '')
    return false
  } catch {
    return true
  }
}

/** 503 because the chain is unavailable here, or because an equal request is in progress. */
const isExcused = (request: Request, answer: Answer): boolean =>
  answer.status === 503 &&
  (mayNeedChain.includes(request.operation.operationId) || isStillMade(request, answer))

function problemWith(request: Request, answer: Answer): string | undefined {
  const { method, token, headers } = request
  const { status } = answer
  if (status >= 500 && !isExcused(request, answer)) return `answered ${status}`
  if (headers['x-request-id'] === 'mine-1' && answer.headers['x-request-id'] !== 'mine-1') {
    return 'dropped the request id'
  }
  const known = findOperation(method, urlOf(request))?.operation
  const isOpen = !known || request.operation.realm === 'public' || isBadPath(urlOf(request))
  if (!isOpen && token === undefined && ![401, 429].includes(status)) return 'let a stranger in'
  const contract = contractProblem(method, urlOf(request), answer)
  if (contract !== undefined) return contract
  return status >= 400 && method !== 'HEAD' ? errorProblem(answer) : undefined
}

/** Answers of 500 and above, and answers that a test would fail on. */
function createCounts() {
  const counts = { requests: 0, serverErrors: 0, unavailable: 0, unexpectedUnavailable: 0 }
  const broken = { contractProblems: 0 }
  const declared = new Map<string, number>()
  const byDefault = new Map<string, number>()
  const sum = (tally: Map<string, number>) => tally.values().reduce((all, n) => all + n, 0)
  const words = (tally: Map<string, number>) =>
    [...tally.entries()].map(([name, count]) => `${name} ${count}`).join(', ') || 'none'
  return {
    add(request: Request, answer: Answer, problem: string | undefined) {
      const { status } = answer
      const { operationId } = request.operation
      counts.requests += 1
      if (problem !== undefined) broken.contractProblems += 1
      if (status < 500) return
      if (status !== 503) {
        counts.serverErrors += 1
        return
      }
      counts.unavailable += 1
      if (!isExcused(request, answer)) counts.unexpectedUnavailable += 1
      const operation = findOperation(request.method, urlOf(request))?.operation
      const tally = operation && '503' in operation.responses ? declared : byDefault
      tally.set(operationId, (tally.get(operationId) ?? 0) + 1)
    },
    figures: () => ({
      ...counts,
      ...broken,
      declaredUnavailable: sum(declared),
      declaredUnavailableBy: words(declared),
      defaultUnavailable: sum(byDefault),
      defaultUnavailableBy: words(byDefault),
    }),
  }
}

type Tally = { asked: number; done: number; statuses: Set<number> }

const readable = ({ method, token, headers, body, raw, ...rest }: Request): string =>
  `${method} ${urlOf({ method, token, headers, body, raw, ...rest } as Request)} ${JSON.stringify({
    headers,
    token: token?.slice(-8),
    sent: raw === undefined ? body : raw.toString(),
  }).slice(0, 600)}`

describe('the contract under fuzzing', () => {
  test(`holds for ${REQUESTS} requests (seed ${SEED})`, async () => {
    const random = createRandom(SEED)
    const tallies = new Map<string, Tally>(
      operations.map(({ operationId }) => [
        operationId,
        { asked: 0, done: 0, statuses: new Set<number>() },
      ]),
    )
    const problems: string[] = []
    const counts = createCounts()
    const look = (n: number, request: Request, answer: Answer) => {
      const problem = problemWith(request, answer)
      counts.add(request, answer, problem)
      if (problem !== undefined) {
        problems.push(`#${n} ${problem}\n${readable(request)}\n${answer.text}`)
      }
      tally(tallies, request, answer)
    }
    for (let sent = 0; sent < REQUESTS && problems.length < 10; sent += AT_ONCE) {
      // Some of those that have never succeeded are tried as they should be.
      const wanted = missingIn(tallies).filter(() => random.chance(0.2))
      const batch = Array.from({ length: AT_ONCE }, (_, n) =>
        wanted[n] ? wellMeant(random, world, wanted[n]) : makeRequest(random, world),
      )
      const answers = await Promise.all(batch.map(send))
      for (const [n, request] of batch.entries()) look(sent + n, request, answers[n] as Answer)
      await furnish(service, world)
    }
    await reachTheRest(random, tallies, look)
    const done = [...tallies.values()].filter((entry) => entry.done > 0).length
    reportFigures({ seed: SEED, operations: done, ...counts.figures() })
    expect(problems.join('\n\n')).toBe('')
    expectReach(tallies)
  })

  test('leaves an audit trail that verifies', async () => {
    const pool = openOwnerPool({ url: service.database.url, max: 1 })
    const query = async <Row>(statement: Sql) =>
      (await pool.query(statement)).rows as unknown as Row[]
    const { events, chains, problems } = await verifyAudit(query)
    await pool.end()
    expect(problems).toEqual([])
    // One request in three hundred creates an organization.
    expect(chains).toBeGreaterThan(REQUESTS / 500)
    expect(events).toBeGreaterThan(500)
  })
})

/** Operations that have not succeeded yet. */
const missingIn = (tallies: ReadonlyMap<string, Tally>) =>
  operations.filter(
    ({ operationId }) => tallies.get(operationId)?.done === 0 && !needsChain.includes(operationId),
  )

const ORGANIZATIONS_MORE = 20
const ROUNDS_EACH = 5
const OTHERS = 12
const TIMES_EACH = 3

/**
 * Operations that chance rarely reaches come after many others. They are asked for in new
 * organizations that only these requests know, led to where most of them are possible.
 */
async function reachTheRest(
  random: Random,
  tallies: Map<string, Tally>,
  look: (n: number, request: Request, answer: Answer) => void,
): Promise<void> {
  const missing = () => missingIn(tallies)
  for (let made = 0; made < ORGANIZATIONS_MORE && missing().length > 0; made += 1) {
    const quiet = { ...world, tenants: [await foundQuietly(service, world)] }
    await furnish(service, quiet)
    await leadToPayment(service, quiet)
    for (let round = 0; round < ROUNDS_EACH && missing().length > 0; round += 1) {
      // What others build on comes along by weight.
      const others = Array.from({ length: OTHERS }, () => wellMeant(random, quiet))
      const wanted = missing().flatMap((operation) =>
        Array.from({ length: TIMES_EACH }, () => wellMeant(random, quiet, operation)),
      )
      const batch = [...wanted, ...others]
      const answers = await Promise.all(batch.map(send))
      for (const [n, request] of batch.entries()) look(REQUESTS + n, request, answers[n] as Answer)
      await furnish(service, quiet)
    }
  }
}

function tally(tallies: Map<string, Tally>, request: Request, answer: Answer): void {
  const { operation, method } = request
  const entry = tallies.get(operation.operationId)
  if (!entry || request.path !== undefined || method !== operation.method) return
  entry.asked += 1
  entry.statuses.add(answer.status)
  if (answer.status >= 300) return
  entry.done += 1
  meetWallets(world, request, answer)
  meetLinks(world, request, answer)
  if (request.tenant) meetFunding(request.tenant, request, answer)
  const caller = world.people.find(({ token }) => token === request.token)
  const { operationId } = operation
  const { tenant } = request
  const { expenseId } = request.params
  const known = { ...(tenant && { tenant }), ...(caller && { caller }) }
  remember(world, { operationId, ...known, ...(expenseId && { expenseId }) }, answer)
}

/** Refusals alone prove little: every operation must have succeeded many times. */
function expectReach(tallies: Map<string, Tally>): void {
  const entries = [...tallies.entries()]
  const never = entries.filter(([, { done }]) => done === 0).map(([name]) => name)
  expect(never.sort()).toEqual(needsChain)
  const done = entries.reduce((sum, [, entry]) => sum + entry.done, 0)
  expect(done / REQUESTS).toBeGreaterThan(0.05)
  const seen = new Set(entries.flatMap(([, { statuses }]) => [...statuses]))
  expect([...seen]).toEqual(expect.arrayContaining([200, 201, 400, 401, 403, 404, 409, 413, 415]))
}
