/** Vault payments that the service has no record of: list, acknowledge and show. */
import { randomUUID } from 'node:crypto'
import { checksummed } from '@countersign/proof/values.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type House, house } from '#test/security/house.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { type Operator, signInOperator } from '#test/support/operators.ts'
import { auditTrail, liftOwnersRowSecurity, liveTrail, outcome } from '#test/support/steps.ts'
import { writeUnrecorded } from '#test/support/unrecorded-books.ts'

let service: TestApp
let home: House
let operator: Operator

beforeAll(async () => {
  service = await startTestApp()
  await liftOwnersRowSecurity(service.database)
  home = await house(service)
  operator = await signInOperator(service)
})
afterAll(() => service.stop())

const OTHER_APPROVER = `0x${'ef'.repeat(20)}`

const path = (rest = '') => `${home.organization.path}/unrecorded-payments${rest}`

const list = (token = home.organization.owner.token, query = '') =>
  service.call('GET', path(query), { token })

const acknowledge = (
  id: string,
  {
    token = home.organization.owner.token,
    body = { reason: 'Sent by the previous executor' },
  }: { token?: string; body?: unknown } = {},
) => service.call('POST', path(`/${id}/acknowledge`), { token, body })

const write = (terms = {}) =>
  writeUnrecorded(
    service,
    { organizationId: home.organization.id, vaultId: home.defaultVaultId },
    terms,
  )

const snapshot = async (token: string) =>
  (await service.call('GET', `${home.organization.path}/live/snapshot`, { token })).body

const tasksOf = async (token: string) =>
  (await snapshot(token)).tasks.filter(({ state }: { state: string }) => state === 'unrecorded')

const executorHealth = async (token: string) =>
  (await snapshot(token)).services.find(({ id }: { id: string }) => id === 'executor')

/** The house already has one. */
const acknowledgeAll = async () => {
  for (const { id } of (await list(undefined, '?state=open')).body.unrecordedPayments) {
    expect((await acknowledge(id)).status).toBe(200)
  }
}

describe('GET unrecorded-payments', () => {
  test("shows owners and managers the payment as logged, with the recipient's label", async () => {
    const { recipients } = (
      await service.call('GET', `${home.organization.path}/recipients`, {
        token: home.manager.token,
      })
    ).body
    const [recipient] = recipients
    const recipientAddress = recipient.address.toLowerCase()
    const approvalDigests = [`0x${'ab'.repeat(32)}`, `0x${'cd'.repeat(32)}`]
    const approval = { approvalDigests, approverAddresses: [recipientAddress, OTHER_APPROVER] }
    const written = await write({ mode: 'approved', recipientAddress, ...approval })
    for (const token of [home.organization.owner.token, home.manager.token]) {
      const { status, body } = await list(token)
      expect(status).toBe(200)
      const shown = body.unrecordedPayments[0]
      expect(shown).toEqual({
        id: written.id,
        organizationId: home.organization.id,
        vaultId: home.defaultVaultId,
        vaultAddress: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
        chainPaymentId: written.chainPaymentId,
        mode: 'approved',
        recipientAddress: recipient.address,
        recipientLabel: recipient.label,
        amountBaseUnits: '1234567',
        policyVersion: 1,
        reportHash: written.reportHash,
        expenseVersionHash: written.expenseVersionHash,
        approvalDigest: approvalDigests[0],
        approverAddress: recipient.address,
        approvalDigests,
        approverAddresses: [recipient.address, checksummed(OTHER_APPROVER)],
        transactionHash: written.transactionHash,
        blockNumber: 7,
        blockHash: written.blockHash,
        executedAt: '2026-01-02T03:04:05.000Z',
        state: 'open',
        acknowledgedByAccountId: null,
        acknowledgedAt: null,
        acknowledgementReason: null,
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      })
    }
  })

  test('pages newest first, and filters by state', async () => {
    const [older, newer] = [await write(), await write()]
    await acknowledge(newer.id)
    const first = await list(undefined, '?limit=1')
    expect(first.body.unrecordedPayments.map(({ id }: { id: string }) => id)).toEqual([newer.id])
    const second = await list(undefined, `?limit=1&cursor=${first.body.nextCursor}`)
    expect(second.body.unrecordedPayments.map(({ id }: { id: string }) => id)).toEqual([older.id])
    const { body } = await list(undefined, '?state=acknowledged')
    expect(body.unrecordedPayments.map(({ id }: { id: string }) => id)).toEqual([newer.id])
  })

  test.each([
    ['an invalid cursor', '?cursor=_-_-_-_-_-_-_-_-_-_-_-'],
    ['an unknown state', '?state=lost'],
    ['a limit above 200', '?limit=201'],
  ])('rejects %s with 400', async (_what, query) => {
    expect(outcome(await list(undefined, query))).toBe('400 validation_failed')
  })

  test('rejects an employee with 403 and a caller without a token with 401', async () => {
    expect(outcome(await list(home.employee.token))).toBe('403 role_required')
    expect(outcome(await service.call('GET', path()))).toBe('401 unauthenticated')
  })
})

describe('POST unrecorded-payments/{id}/acknowledge', () => {
  test('stores who, when and why in the row, the audit trail and a live event', async () => {
    const written = await write()
    const { status, body } = await acknowledge(written.id, { body: { reason: 'A test of ours' } })
    const { accountId } = home.organization.owner
    expect(status).toBe(200)
    expect(body).toMatchObject({
      id: written.id,
      state: 'acknowledged',
      acknowledgedByAccountId: accountId,
      acknowledgedAt: body.updatedAt,
      acknowledgementReason: 'A test of ours',
    })
    const trail = await auditTrail(service.database, home.organization.id)
    const own = trail.filter(({ aggregateId }) => aggregateId === written.id)
    expect(own.map(({ action, actorAccountId }) => [action, actorAccountId])).toEqual([
      ['unrecorded_payment.found', null],
      ['unrecorded_payment.acknowledged', accountId],
    ])
    expect(own[1]?.data).toMatchObject({
      from: 'open',
      to: 'acknowledged',
      reason: 'A test of ours',
      transactionHash: written.transactionHash,
      amountBaseUnits: '1234567',
    })
    const live = (await liveTrail(service.database, home.organization.id)).filter(
      ({ aggregateId }) => aggregateId === written.id,
    )
    expect(live.map(({ kind, targetState, severity, code }) => [kind, targetState, severity, code]))
      // biome-ignore format: one event a line
      .toEqual([
      ['integration.changed', 'open', 'action_required', 'unrecorded_payment_found'],
      ['integration.changed', 'acknowledged', 'healthy', 'unrecorded_payment_acknowledged'],
    ])
  })

  test('rejects a second acknowledgement with 409 state_conflict and keeps the first', async () => {
    const { id } = await write()
    expect((await acknowledge(id, { body: { reason: 'First' } })).status).toBe(200)
    expect(outcome(await acknowledge(id))).toBe('409 state_conflict')
    const { body } = await list()
    expect(body.unrecordedPayments[0]).toMatchObject({ id, acknowledgementReason: 'First' })
  })

  test('accepts one of several concurrent acknowledgements', async () => {
    const { id } = await write()
    const answers = await Promise.all(Array.from({ length: 5 }, () => acknowledge(id)))
    expect(answers.map(outcome).sort()).toEqual(['200', ...Array(4).fill('409 state_conflict')])
  })

  test.each([
    ['no reason', {}],
    ['an empty reason', { reason: '' }],
    ['a reason of blanks', { reason: ' \u200b ' }],
    ['a reason of 1,001 characters', { reason: 'x'.repeat(1001) }],
    ['an unknown field', { reason: 'Known', state: 'recorded' }],
  ])('rejects %s with 400', async (_what, body) => {
    const { id } = await write()
    expect(outcome(await acknowledge(id, { body }))).toBe('400 validation_failed')
  })

  test('rejects managers and employees with 403, an unknown id with 404', async () => {
    const { id } = await write()
    for (const { token } of [home.manager, home.employee]) {
      expect(outcome(await acknowledge(id, { token }))).toBe('403 role_required')
    }
    expect(outcome(await acknowledge(randomUUID()))).toBe('404 not_found')
    const url = path(`/${id}/acknowledge`)
    const nobody = await service.call('POST', url, { body: { reason: 'Known' } })
    expect(outcome(nobody)).toBe('401 unauthenticated')
  })
})

describe('an unacknowledged payment', () => {
  test('is a task for owners only', async () => {
    await acknowledgeAll()
    const { token } = home.organization.owner
    expect(await tasksOf(token)).toEqual([])
    const { id, transactionHash } = await write()
    expect(await tasksOf(token)).toEqual([
      expect.objectContaining({
        id: `integration:${id}`,
        aggregateType: 'integration',
        aggregateId: id,
        group: 'needs_action',
        detail: expect.stringContaining(transactionHash),
        actions: [expect.objectContaining({ id: 'inspect_failure', intent: 'view' })],
      }),
    ])
    expect(await tasksOf(home.manager.token)).toEqual([])
    expect(await tasksOf(home.employee.token)).toEqual([])
    await acknowledge(id)
    expect(await tasksOf(token)).toEqual([])
  })

  test("makes the executor's health and the snapshot action_required", async () => {
    await acknowledgeAll()
    const { token } = home.manager
    expect((await executorHealth(token)).code).not.toBe('payments_unrecorded')
    const { id } = await write()
    expect(await executorHealth(token)).toMatchObject({
      severity: 'action_required',
      code: 'payments_unrecorded',
    })
    expect((await snapshot(token)).severity).toBe('action_required')
    await acknowledge(id)
    expect((await executorHealth(token)).code).not.toBe('payments_unrecorded')
  })

  test("appears in the operators' overview, failures and organization detail", async () => {
    await acknowledgeAll()
    const read = async (what: string) =>
      (await service.call('GET', `/v1/admin/${what}`, { token: operator.token })).body
    const organization = `organizations/${home.organization.id}`
    expect((await read(organization)).organization.severity).toBe('degraded')
    const written = await write()
    expect(await read('overview')).toMatchObject({ unrecordedPayments: 1 })
    expect((await read('failures')).unrecordedPayments).toEqual([
      expect.objectContaining({ id: written.id, organizationId: home.organization.id }),
    ])
    expect((await read(organization)).organization).toMatchObject({
      unrecordedPayments: 1,
      severity: 'action_required',
    })
    for (const hash of [written.transactionHash, written.chainPaymentId]) {
      const { organizations } = await read(`organizations?q=${hash}`)
      expect(organizations.map(({ id }: { id: string }) => id)).toEqual([home.organization.id])
    }
    await acknowledge(written.id)
    expect((await read('failures')).unrecordedPayments).toEqual([])
    expect((await read(organization)).organization).toMatchObject({
      unrecordedPayments: 0,
      severity: 'degraded',
    })
  })
})

describe('activity', () => {
  const activity = async (token: string, query = '') =>
    (await service.call('GET', `${home.organization.path}/activity${query}`, { token })).body

  test('lists open and acknowledged ones beside the payments, on its first page', async () => {
    const { id } = await write()
    for (const { token } of [home.organization.owner, home.manager]) {
      const { payments, unrecordedPayments } = await activity(token)
      expect(unrecordedPayments[0]).toMatchObject({ id, state: 'open' })
      expect(payments.map((payment: { id: string }) => payment.id)).not.toContain(id)
    }
    await acknowledge(id)
    const { unrecordedPayments } = await activity(home.manager.token)
    expect(unrecordedPayments[0]).toMatchObject({ id, state: 'acknowledged' })
    const cursor = Buffer.from(home.paymentId.replaceAll('-', ''), 'hex').toString('base64url')
    const next = await activity(home.manager.token, `?cursor=${cursor}`)
    expect(next.unrecordedPayments).toEqual([])
  })

  test('shows employees none of them', async () => {
    await write()
    expect((await activity(home.employee.token)).unrecordedPayments).toEqual([])
  })
})
