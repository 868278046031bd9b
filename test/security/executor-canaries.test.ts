/** Payments through Circle wallets never leak Circle's key, secret or error texts. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createLog } from '#platform/log.ts'
import { createDump } from '#test/security/dump.ts'
import { type CircleTreasury, startCircleTreasury } from '#test/support/circle-treasury.ts'
import { healthOf, look } from '#test/support/health.ts'
import { expectPaidOnce } from '#test/support/paid-once.ts'
import {
  approve,
  awaitingApproval,
  openPayingHouse,
  type PayingHouse,
  step,
  submitAutomatic,
  tokenBalance,
} from '#test/support/payments.ts'

const lines: string[] = []
/** Everything that must not appear, by name. */
const canaries = new Map<string, string>()
const said = `canary${randomUUID()}`

let treasury: CircleTreasury
let house: PayingHouse

beforeAll(async () => {
  const log = createLog({ level: 'trace', destination: { write: (line) => lines.push(line) } })
  treasury = await startCircleTreasury({ replace: { log } })
  const { circle } = treasury
  const [, id = '', part = ''] = String(circle.env.CIRCLE_API_KEY).split(':')
  canaries.set('the id in the API key', id).set('the secret in the API key', part)
  const secret = Buffer.from(String(circle.env.CIRCLE_ENTITY_SECRET), 'hex')
  for (const form of ['hex', 'base64', 'base64url'] as const) {
    canaries.set(`the entity secret, ${form}`, secret.toString(form).replace(/=+$/, ''))
  }
  canaries.set('what Circle said', said)
  const fault = { status: 500, body: JSON.stringify({ message: said, secret: said }) }
  circle.fail('createWallet', fault)
  house = await openPayingHouse(treasury)
}, 60_000)
afterAll(() => treasury.stop())

describe('a payment', () => {
  test('that is approved is paid once, whatever Circle answers', async () => {
    const { circle } = treasury
    const before = await tokenBalance(house, house.recipient)
    const made = circle.transactions.length
    circle.fail('execute', { status: 503, body: said }, 'lost after')
    circle.fail('look', { status: 500, body: said }, { instead: { data: { x: said } } })
    const expense = await awaitingApproval(house)
    expect((await approve(house, expense)).status).toBe(202)
    await expectPaidOnce(house, expense, before)
    expect(circle.transactions.length - made).toBe(1)
  })

  test('that is automatic is paid once', async () => {
    const before = await tokenBalance(house, house.recipient)
    const expense = await submitAutomatic(house)
    const { payment } = await expectPaidOnce(house, expense, before)
    expect(payment.providerReference).toBe(treasury.circle.transactions.at(-1)?.id)
  })

  test('uses one wallet, created for the organization', () => {
    const { wallets } = treasury.circle
    const own = wallets.filter(({ refId }) => refId === house.id)
    expect(own.map(({ address }) => address)).toEqual([house.executor.toLowerCase()])
  })
})

describe('health', () => {
  const found = async (organizationId: string | null) => {
    const { severity, code, summary, provider } = await healthOf(
      treasury.service,
      'executor',
      organizationId,
    )
    return { found: [severity, code], summary, provider }
  }

  /** Checks as a worker would; a worker may also do so in between. */
  const expectFound = (expected: [string, string | null]) =>
    vi.waitFor(async () => {
      await look(treasury.service)
      const all = await found(null)
      const own = await found(house.id)
      expect([all.found, own.found]).toEqual([expected, expected])
      expect(all.provider).toBe('developer_controlled_wallet')
      return { all, own }
    }, 10_000)

  test('reports Circle as unavailable, or as refusing our credentials', async () => {
    const { circle, service } = treasury
    // Its gas was last read before it was funded.
    await step(house, 'executor/reconcile', undefined)
    await expectFound(['healthy', null])
    circle.setDown(true)
    await expectFound(['degraded', 'executor_provider_unavailable'])
    circle.setDown(false)
    circle.fail('publicKey', ...Array(20).fill({ status: 401, body: said }))
    const { all, own } = await expectFound(['action_required', 'executor_provider_refuses'])
    expect(all.summary).toContain('rejects our credentials')
    expect(own.summary).not.toContain('credentials')
    const keys = await healthOf(service, 'wallets')
    expect(keys.summary).toBe("The executors' keys are with their provider.")
  })
})

describe('the canaries', () => {
  const searched = (text: string) =>
    [...canaries].filter(([, value]) => text.includes(value)).map(([what]) => what)

  test('exist and can be found', () => {
    for (const [index, ciphertext] of [...treasury.circle.ciphertexts].entries()) {
      canaries.set(`ciphertext ${index}`, ciphertext.slice(0, 100))
    }
    expect(canaries.size).toBeGreaterThan(8)
    expect(searched(`before ${said} after`)).toEqual(['what Circle said'])
  })

  test('appear in no log line', () => {
    expect(lines.length).toBeGreaterThan(50)
    expect(searched(lines.join('\n'))).toEqual([])
  })

  test('appear in no row, job or event', async () => {
    const dump = await (await createDump(treasury.service.database))()
    expect(dump['countersign.payment_attempts']?.length).toBeGreaterThan(1)
    expect(searched(JSON.stringify(dump))).toEqual([])
  })

  test('appear in no metric', async () => {
    expect(searched(await treasury.service.ctx.metrics.registry.metrics())).toEqual([])
  })
})
