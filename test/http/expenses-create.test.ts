import { randomUUID } from 'node:crypto'
import { getAddress } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import { createOrganization, type Person, type TestApp } from '#test/support/app.ts'
import { versionHashOf } from '#test/support/expense-states.ts'
import {
  createExpense,
  type ExpenseHouse,
  NO_DETAILS,
  openExpenseHouse,
  PURPOSE,
  termsOf,
} from '#test/support/expenses.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import { addRecipient, freshKey, outcome, tally, times } from '#test/support/steps.ts'

let service: TestApp
let house: ExpenseHouse
let other: ExpenseHouse

beforeAll(async () => {
  service = await sharedTestApp()
  house = await openExpenseHouse(service)
  other = await openExpenseHouse(service)
})

const create = (terms: Record<string, unknown> = {}, person: Person = house.employee) =>
  createExpense(service, house, { person, terms })

const list = async ({ organization: { path, owner } }: ExpenseHouse = house) =>
  (await service.call('GET', `${path}/expenses?limit=200`, { token: owner.token })).body.expenses

const idOf = async (answer: Promise<{ body: { id: string } }>) => (await answer).body.id

describe('POST {org}/expenses', () => {
  test('creates a draft with its first revision', async () => {
    const { status, body } = await create()
    expect(status).toBe(201)
    const revision = {
      revision: 1,
      vaultId: house.vaultId,
      purpose: PURPOSE,
      recipientId: house.recipientId,
      recipientLabel: 'Acme Supplies',
      recipientAddress: getAddress(house.recipientAddress),
      amountBaseUnits: '25000000',
      requestedMode: 'approved',
      ...NO_DETAILS,
      reason: null,
      versionHash: versionHashOf(service, house, body),
      authorAccountId: house.employee.accountId,
      createdAt: expect.any(String),
    }
    expect(body).toEqual({
      id: expect.any(String),
      organizationId: house.organization.id,
      submitterAccountId: house.employee.accountId,
      submitterDisplayName: null,
      paymentId: expect.any(String),
      currentRevision: 1,
      state: 'draft',
      blockCode: null,
      currentReportId: null,
      createdAt: expect.any(String),
      updatedAt: body.createdAt,
      revision,
      revisions: [revision],
      comments: [],
      commentsNextCursor: null,
      reviews: [],
      approvals: [],
      signedApprovals: 0,
    })
    expect(body.paymentId).not.toBe(body.id)
  })

  test('lets every role create expenses of their own', async () => {
    const { organization, manager, employee } = house
    for (const person of [organization.owner, manager, employee]) {
      const { status, body } = await create({}, person)
      expect([status, body.submitterAccountId]).toEqual([201, person.accountId])
    }
  })

  test('creates two expenses for two equal requests, each with its own ids', async () => {
    const [first, second] = [(await create()).body, (await create()).body]
    for (const field of ['id', 'paymentId']) expect(first[field]).not.toBe(second[field])
    expect(first.revision.versionHash).not.toBe(second.revision.versionHash)
  })

  test('normalises upper-case ids and hashes the normalised values', async () => {
    const { status, body } = await create({
      vaultId: house.vaultId.toUpperCase(),
      recipientId: house.recipientId.toUpperCase(),
    })
    expect(status).toBe(201)
    expect(body.revision).toMatchObject({
      vaultId: house.vaultId,
      recipientId: house.recipientId,
      versionHash: versionHashOf(service, house, body),
    })
  })

  const good: [string, Record<string, unknown>][] = [
    ['the smallest amount', { amountBaseUnits: '1' }],
    ['the largest amount', { amountBaseUnits: String(2n ** 128n - 1n) }],
    ['automatic mode', { requestedMode: 'automatic' }],
    ['a purpose of 1 character', { purpose: 'x' }],
    ['a purpose of 2000 characters', { purpose: 'x'.repeat(2000) }],
    ['a purpose of 2000 code points outside the basic plane', { purpose: '🦊'.repeat(2000) }],
    ['a purpose of several lines', { purpose: 'Two lines:\nhere\r\nand there' }],
    ['a purpose with markup and SQL', { purpose: `<b>"'; delete from expenses; --\\` }],
  ]
  test.each(good)('stores %s unchanged', async (_name, terms) => {
    const { status, body } = await create(terms)
    expect(status).toBe(201)
    expect(body.revision).toMatchObject(terms)
    expect(body.revision.versionHash).toBe(versionHashOf(service, house, body))
  })

  const bad: [string, Record<string, unknown>][] = [
    ['an amount of 0', { amountBaseUnits: '0' }],
    ['an amount with a leading zero', { amountBaseUnits: '01' }],
    ['a negative amount', { amountBaseUnits: '-1' }],
    ['an amount of 2^128', { amountBaseUnits: String(2n ** 128n) }],
    ['an amount of 39 nines', { amountBaseUnits: '9'.repeat(39) }],
    ['an amount of 40 digits', { amountBaseUnits: `1${'0'.repeat(39)}` }],
    ['an amount with a fraction', { amountBaseUnits: '1.5' }],
    ['an amount with an exponent', { amountBaseUnits: '1e6' }],
    ['an amount in hex', { amountBaseUnits: '0x10' }],
    ['an amount with a space', { amountBaseUnits: ' 1' }],
    ['an amount with a trailing newline', { amountBaseUnits: '1\n' }],
    ['an amount in other digits', { amountBaseUnits: '١' }],
    ['an empty amount', { amountBaseUnits: '' }],
    ['an amount as a number', { amountBaseUnits: 25_000_000 }],
    ['a purpose of 0 characters', { purpose: '' }],
    ['a purpose of 2001 characters', { purpose: 'x'.repeat(2001) }],
    ['a purpose of 2001 code points', { purpose: '🦊'.repeat(2001) }],
    ['a purpose of blanks and new lines', { purpose: ' \n\u00a0\u200b ' }],
    ['a control character in the purpose', { purpose: 'In\u0007voice' }],
    ['a tab in the purpose', { purpose: 'In\tvoice' }],
    ['a NUL in the purpose', { purpose: 'In\u0000voice' }],
    ['half a surrogate pair in the purpose', { purpose: 'In\ud800voice' }],
    ['a list for a purpose', { purpose: [PURPOSE] }],
    ['an unknown mode', { requestedMode: 'Automatic' }],
    ['no mode', { requestedMode: undefined }],
    ['a malformed vault id', { vaultId: 'main' }],
    ['a recipient by address', { recipientId: `0x${'a'.repeat(40)}` }],
    ['no recipient', { recipientId: undefined }],
    ['a state', { state: 'approved_ready_for_payment' }],
    ['another account as the submitter', { submitterAccountId: randomUUID() }],
    ['an expected version', { expectedVersion: 1 }],
  ]
  test.each(bad)('rejects %s with 400 and creates nothing', async (_name, terms) => {
    const before = (await list()).length
    expect(outcome(await create(terms))).toBe('400 validation_failed')
    expect(await list()).toHaveLength(before)
  })

  test('is 403 for an unknown vault or recipient, or one of another organization', async () => {
    const before = (await list()).length
    const strangers: Record<string, unknown>[] = [
      { vaultId: randomUUID() },
      { vaultId: other.vaultId },
      { recipientId: randomUUID() },
      { recipientId: other.recipientId },
    ]
    for (const terms of strangers) {
      expect(outcome(await create(terms))).toBe('403 forbidden')
    }
    expect(await list()).toHaveLength(before)
    expect(await list(other)).toEqual([])
  })

  test('is 409 for a deactivated recipient', async () => {
    const { organization } = house
    const { token } = organization.owner
    const recipientId = await idOf(addRecipient(service, organization))
    const url = `${organization.path}/recipients/${recipientId}/deactivate`
    expect((await service.call('POST', url, { token })).status).toBe(200)
    expect(outcome(await create({ recipientId }))).toBe('409 state_conflict')
  })

  test('is 409 for an archived or unverified vault', async () => {
    const home = await openExpenseHouse(service)
    const set = (what: string) =>
      service.database.asOwner(`update vaults set ${what} where id = $1`, [home.vaultId])
    await service.database.asOwner('alter table vaults no force row level security')
    const attempt = async () => outcome(await createExpense(service, home))
    await set("state = 'pending', is_default = false")
    expect(await attempt()).toBe('409 vault_unverified')
    await set("state = 'disabled'")
    expect(await attempt()).toBe('409 vault_unverified')
    await set("state = 'verified', archived_at = now()")
    expect(await attempt()).toBe('409 vault_archived')
    expect(await list(home)).toEqual([])
    await set('archived_at = null')
    expect(await attempt()).toBe('201')
  })

  test('is 403 for non-members and members elsewhere, 401 without a token', async () => {
    const before = (await list()).length
    for (const person of [await service.signIn(), other.organization.owner, other.employee]) {
      expect(outcome(await create({}, person))).toBe('403 forbidden')
    }
    const url = `${house.organization.path}/expenses`
    const answer = await service.call('POST', url, { body: termsOf(house), headers: freshKey() })
    expect(outcome(answer)).toBe('401 unauthenticated')
    expect(await list()).toHaveLength(before)
  })

  test('is 403 in an organization without a vault', async () => {
    const organization = await createOrganization(service)
    const answer = await service.call('POST', `${organization.path}/expenses`, {
      token: organization.owner.token,
      body: termsOf(house),
      headers: freshKey(),
    })
    expect(outcome(answer)).toBe('403 forbidden')
  })
})

describe('POST {org}/expenses with an Idempotency-Key', () => {
  const keyed = (headers: Record<string, string>, terms: Record<string, unknown> = {}) =>
    createExpense(service, house, { terms, headers })

  test('replays the same expense even after it has changed state', async () => {
    const headers = freshKey()
    const first = await keyed(headers)
    const url = `${house.organization.path}/expenses/${first.body.id}/cancel`
    const { token } = house.employee
    await service.call('POST', url, { token, body: { expectedVersion: 1 } })
    const before = (await list()).length
    const again = await keyed(headers)
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([201, 'true'])
    expect(again.body).toEqual(first.body)
    expect(await list()).toHaveLength(before)
  })

  test('is 409 for another body with the same key and creates nothing', async () => {
    const headers = freshKey()
    await keyed(headers)
    const before = (await list()).length
    const answer = await keyed(headers, { amountBaseUnits: '25000001' })
    expect(outcome(answer)).toBe('409 idempotency_key_reused')
    expect(await list()).toHaveLength(before)
  })

  test('frees the key after a refusal', async () => {
    const headers = freshKey()
    const refused = [
      await keyed(headers, { amountBaseUnits: '0' }),
      await keyed(headers, { vaultId: other.vaultId }),
    ]
    expect(refused.map(outcome)).toEqual(['400 validation_failed', '403 forbidden'])
    const made = await keyed(headers)
    expect([made.status, made.headers['idempotent-replayed']]).toEqual([201, undefined])
  })

  test('creates one expense for ten concurrent requests with one key', async () => {
    const headers = freshKey()
    const before = (await list()).length
    const answers = await Promise.all(times(10, () => keyed(headers)))
    expect(tally(answers)).toEqual({ 201: 10 })
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
    expect(await list()).toHaveLength(before + 1)
  })

  test('scopes the key to the account', async () => {
    const headers = freshKey()
    const mine = await keyed(headers)
    const { manager: person } = house
    const theirs = await createExpense(service, house, { person, headers })
    expect(theirs.status).toBe(201)
    expect(theirs.body.id).not.toBe(mine.body.id)
  })

  test('is 400 without a key', async () => {
    const answer = await createExpense(service, house, { headers: {} })
    expect(outcome(answer)).toBe('400 idempotency_key_required')
  })
})
