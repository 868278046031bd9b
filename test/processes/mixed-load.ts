/** A typical mix of requests over many organizations: four reads to a write, at a given rate. */
import { randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { Random } from '#test/fuzz/random.ts'
import { contractProblem } from '#test/support/contract.ts'
import { type ExpenseHouse, termsOf } from '#test/support/expenses.ts'
import { percentile } from '#test/support/figures.ts'
import { CHAIN_ID, randomAddress } from '#test/support/steps.ts'

type Call = { method: string; path: string; token: string; body?: unknown }
type Got = { status: number; text: string }

/** What there is to read, beside what the house was opened with. */
type Known = { house: ExpenseHouse; expenseIds: string[] }

const READS: [weight: number, path: (known: Known, random: Random) => string | undefined][] = [
  [20, () => '/expenses?limit=20'],
  [
    25,
    ({ expenseIds }, random) =>
      expenseIds.length > 0 ? `/expenses/${random.pick(expenseIds)}` : undefined,
  ],
  [15, () => '/live/snapshot'],
  [15, () => '/overview'],
  [5, () => '/activity?limit=20'],
  [5, () => '/members'],
  [5, () => '/recipients'],
  [4, () => '/vaults'],
  [3, () => '/executor'],
  [3, () => '/invitations'],
]

function read(random: Random, known: Known): Call {
  const { organization, manager } = known.house
  const path = random.weighted(READS)(known, random) ?? '/overview'
  return { method: 'GET', path: `${organization.path}${path}`, token: manager.token }
}

function write(random: Random, { house, expenseIds }: Known): Call {
  const { path, owner } = house.organization
  const { token } = house.employee
  const create = (): Call => {
    const purpose = `Invoice ${randomUUID()} for the translation of the user manual`
    return { method: 'POST', path: `${path}/expenses`, token, body: termsOf(house, { purpose }) }
  }
  const comment = (): Call => {
    const body = { body: `Comment ${randomUUID()}` }
    return {
      method: 'POST',
      path: `${path}/expenses/${random.pick(expenseIds)}/comments`,
      token,
      body,
    }
  }
  const recipient = (): Call => {
    const body = { label: 'Acme Supplies', address: randomAddress(), chainId: CHAIN_ID }
    return { method: 'POST', path: `${path}/recipients`, token: owner.token, body }
  }
  const ask = (): Call => {
    const body = { subject: 'It does not arrive', priority: 2 }
    return { method: 'POST', path: `${path}/support-cases`, token, body }
  }
  if (expenseIds.length === 0) return create()
  return random.weighted<() => Call>([
    [60, create],
    [25, comment],
    [10, recipient],
    [5, ask],
  ])()
}

function send(agent: Agent, url: string, { method, path, token, body }: Call): Promise<Got> {
  const { promise, resolve, reject } = Promise.withResolvers<Got>()
  const sent = request(
    `${url}${path}`,
    {
      method,
      agent,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && {
          'content-type': 'application/json',
          'idempotency-key': randomUUID(),
        }),
      },
    },
    (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
      response.on('error', reject)
    },
  )
  sent.on('error', reject)
  sent.end(body === undefined ? undefined : JSON.stringify(body))
  return promise
}

export type Mix = {
  requests: number
  statuses: Record<string, number>
  unanswered: number
  serverErrors: number
  contractProblems: string[]
  perSecond: number
  p50: number
  p95: number
  p99: number
}

type Load = {
  url: string
  houses: readonly ExpenseHouse[]
  random: Random
  /** Requests a second, whether or not earlier ones were answered. */
  rate: number
  seconds: number
}

/** Latencies count from when a request was due, so that a lagging server is not favoured. */
export async function mixedLoad({ url, houses, random, rate, seconds }: Load): Promise<Mix> {
  const agent = new Agent({ keepAlive: true, maxSockets: 100 })
  const known = houses.map((house): Known => ({ house, expenseIds: [] }))
  const statuses: Record<string, number> = {}
  const contractProblems: string[] = []
  const times: number[] = []
  let unanswered = 0
  const one = async (dueAt: number) => {
    const place = random.pick(known)
    const call = random.chance(0.8) ? read(random, place) : write(random, place)
    try {
      const { status, text } = await send(agent, url, call)
      times.push(performance.now() - dueAt)
      statuses[status] = (statuses[status] ?? 0) + 1
      const body = text === '' ? undefined : JSON.parse(text)
      const problem = contractProblem(call.method, call.path, { status, text, body })
      if (problem !== undefined) contractProblems.push(problem)
      const isExpense = call.method === 'POST' && call.path.endsWith('/expenses')
      if (isExpense && status === 201) place.expenseIds.push(body.id)
    } catch {
      unanswered += 1
    }
  }
  const begun = performance.now()
  const total = Math.round(rate * seconds)
  const sent: Promise<void>[] = []
  for (let n = 0; n < total; n += 1) {
    const dueAt = begun + (n * 1_000) / rate
    const early = dueAt - performance.now()
    if (early > 1) await wait(early)
    sent.push(one(dueAt))
  }
  await Promise.all(sent)
  const took = (performance.now() - begun) / 1_000
  agent.destroy()
  const errors = Object.entries(statuses).filter(([status]) => Number(status) >= 500)
  return {
    requests: total,
    statuses,
    unanswered,
    serverErrors: errors.reduce((sum, [, count]) => sum + count, unanswered),
    contractProblems,
    perSecond: Number((total / took).toFixed(1)),
    p50: percentile(times, 0.5),
    p95: percentile(times, 0.95),
    p99: percentile(times, 0.99),
  }
}
