/**
 * README, "Who can take what": an attacker with the database login of an API process. It is a
 * member of `countersign_app` and `countersign_observer` and holds no secret.
 */
import { randomUUID } from 'node:crypto'
import { uuidToBytes32 } from '@countersign/proof/digest.ts'
import type pg from 'pg'
import { hashTypedData } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { cleanUp } from '#test/processes/processes.ts'
import {
  approve,
  awaitingApproval,
  type PayingHouse,
  prepareAndSign,
  type ReadExpense,
  release,
  signTypedData,
  submitExpense,
  tokenBalance,
  untilState,
} from '#test/support/payments.ts'
import { outcome } from '#test/support/steps.ts'
import {
  DENIED,
  enterScope,
  forgeReservation,
  insertLike,
  paidByVault,
  requestRelease,
  untilSettled,
} from './forging.ts'
import { connect, type Stage, startStage } from './stage.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 })

let stage: Stage
let house: PayingHouse
/** The login, in the role that API processes use. */
let client: pg.Client
const thief = privateKeyToAccount(generatePrivateKey())
/** An approved and an automatic expense, both paid before the theft. */
let signed: ReadExpense
let automatic: string
let paidBefore: number

beforeAll(async () => {
  stage = await startStage()
  house = stage.house
  client = await connect(stage.logins.api, 'countersign_app')
  await enterScope(client, { organizationId: house.id })
})
afterAll(cleanUp)

const asThief = (text: string, values?: unknown[]) => client.query(text, values)

describe('processes with logins and secrets of their own', () => {
  test("pay an approved and an automatic expense without the schema owner's login", async () => {
    signed = await awaitingApproval(house, { amountBaseUnits: '7000000' })
    expect((await approve(house, signed)).status).toBe(202)
    const terms = { requestedMode: 'automatic', amountBaseUnits: '1300000' }
    automatic = await submitExpense(house, terms)
    await untilState(house, signed.id, 'paid')
    await untilState(house, automatic, 'paid')
    expect(await tokenBalance(house, house.recipient)).toBe(8_300_000n)
    paidBefore = (await paidByVault(house)).length
  })

  test('own nothing in the schema', async () => {
    for (const url of [stage.logins.api, stage.logins.worker]) {
      const login = await connect(url)
      const { rows } = await login.query(
        `select from pg_class c where c.relnamespace in
           ('countersign'::regnamespace, 'graphile_worker'::regnamespace)
         and pg_has_role(current_user, c.relowner, 'usage')`,
      )
      expect(rows).toEqual([])
      await expect(login.query('create table mine (id int)')).rejects.toMatchObject(DENIED)
    }
  })
})

describe("the API's database login", () => {
  test.each(['countersign_worker', 'countersign', 'postgres'])('cannot become %s', async (role) => {
    const login = await connect(stage.logins.api)
    await expect(login.query(`set role ${role}`)).rejects.toMatchObject(DENIED)
  })

  test('cannot write reports, attempts, receipts, policies or chain data', async () => {
    const like = (table: string, changes = {}) =>
      insertLike(client, { table, where: 'true', changes: { id: randomUUID(), ...changes } })
    for (const table of ['reports', 'payment_attempts', 'payment_receipts', 'policies']) {
      await expect(like(table), table).rejects.toMatchObject(DENIED)
    }
    for (const change of [
      `update policies set automatic_cap = 1000000000`,
      `update vaults set balance = 9, policy_version = 1`,
      `update payment_attempts set state = 'cleared'`,
      `delete from chain_logs`,
      `insert into chain_blocks select * from chain_blocks`,
      `update memberships set recorded_at = now() - interval '1 year'`,
      `update expense_revisions set amount = 1`,
      `update payments set authorised_at = now() - interval '8 days'`,
      `delete from payments`,
    ]) {
      await expect(asThief(change), change).rejects.toMatchObject(DENIED)
    }
  })

  test('cannot change or delete an audit event', async () => {
    for (const change of ['delete from audit_events', `update audit_events set data = '{}'`]) {
      await expect(asThief(change), change).rejects.toMatchObject(DENIED)
    }
  })

  test('can read no key or signature as the observer, and no plaintext key at all', async () => {
    const observer = await connect(stage.logins.api, 'countersign_observer')
    for (const question of [
      'select provider_reference from executor_bindings',
      'select signature from payment_signatures',
      'select salt from organizations',
      'select mac from payments',
    ]) {
      await expect(observer.query(question), question).rejects.toMatchObject(DENIED)
    }
  })

  test('cannot queue a payment or change one that was paid', async () => {
    const change = { id: randomUUID(), chain_payment_id: `0x${'77'.repeat(32)}` }
    const where = `o.expense_id = '${signed.id}'`
    const queued = { table: 'payments', where, changes: { ...change, state: 'queued' } }
    await expect(insertLike(client, queued)).rejects.toMatchObject(DENIED)
    const moving = `update payments set state = 'queued' where expense_id = '${signed.id}'`
    await expect(asThief(moving)).rejects.toMatchObject(DENIED)
  })

  test("cannot give a payment another payment's MAC", async () => {
    const { rows } = await asThief('select mac, mac_key_id from payments where expense_id = $1', [
      automatic,
    ])
    expect(rows[0].mac).toHaveLength(32)
    const where = `o.expense_id = '${automatic}'`
    const changes = {
      id: randomUUID(),
      chain_payment_id: `0x${'78'.repeat(32)}`,
      state: 'reserved',
    }
    const stolen = insertLike(client, { table: 'payments', where, changes })
    await expect(stolen).rejects.toMatchObject(DENIED)
  })
})

describe("an approval forged with the API's database login", () => {
  /** Analysed and reviewed by the real processes; an approver has prepared it and not signed. */
  const prepared = async () => {
    const expense = await awaitingApproval(house)
    return { expense, ...(await prepareAndSign(house, expense)) }
  }
  const forged: { expense: ReadExpense; paymentId: string }[] = []

  test('is blocked when the approver did not sign it', async () => {
    const { expense, approvalId, prepared: typed } = await prepared()
    const signature = await signTypedData({ account: thief }, typed)
    const about = { approvalId, expenseId: expense.id, signature }
    const paymentId = await forgeReservation(client, house, about)
    expect(await untilSettled(client, paymentId)).toBe('blocked signature_not_authentic')
    forged.push({ expense, paymentId })
  })

  test.each([
    ['amount', { amount: '40000000' }],
    ['recipient', { recipient_address: thief.address.toLowerCase() }],
  ])('is blocked when a genuine signature is put on another %s', async (_name, changes) => {
    const { expense, approvalId, signature } = await prepared()
    const about = { approvalId, expenseId: expense.id, signature, changes }
    const paymentId = await forgeReservation(client, house, about)
    expect(await untilSettled(client, paymentId)).toBe('blocked evidence_mismatch')
    forged.push({ expense, paymentId })
  })

  test('is blocked when a genuine signature of another expense is replayed', async () => {
    const expense = await awaitingApproval(house)
    const { rows } = await asThief('select id, signature from approvals where expense_id = $1', [
      signed.id,
    ])
    const { id: approvalId, signature } = rows[0]
    const changes = { chain_payment_id: `0x${'79'.repeat(32)}` }
    const about = { approvalId, expenseId: expense.id, signature, changes }
    const paymentId = await forgeReservation(client, house, about)
    expect(await untilSettled(client, paymentId)).toBe('blocked evidence_mismatch')
    forged.push({ expense, paymentId })
  })

  test("is blocked when the attacker's wallet approves: the chain's policy decides", async () => {
    const { expense, approvalId, prepared: typed } = await prepared()
    const { accountId } = house.owner
    await enterScope(client, { organizationId: house.id, accountId })
    const [walletId, roleId, ownApproval] = [randomUUID(), randomUUID(), randomUUID()]
    const address = thief.address.toLowerCase()
    const approver = await asThief('select wallet_role_id as role from approvals where id = $1', [
      approvalId,
    ])
    const role = approver.rows[0].role
    await insertLike(client, {
      table: 'wallets',
      where: `o.id = (select wallet_id from wallet_roles where id = '${role}')`,
      changes: { id: walletId, address },
    })
    await insertLike(client, {
      table: 'wallet_roles',
      where: `o.id = '${role}'`,
      changes: { id: roleId, wallet_id: walletId },
    })
    const own = { ...typed, message: { ...typed.message } }
    own.message.approvalId = uuidToBytes32(ownApproval)
    own.message.approver = thief.address
    const signature = await signTypedData({ account: thief }, own)
    await insertLike(client, {
      table: 'approvals',
      where: `o.id = '${approvalId}'`,
      changes: {
        ...{ id: ownApproval, approver_address: address, wallet_role_id: roleId },
        ...{ digest: hashTypedData(own), typed_data: own },
      },
    })
    const about = { approvalId: ownApproval, expenseId: expense.id, signature }
    const paymentId = await forgeReservation(client, house, about)
    expect(await untilSettled(client, paymentId)).toBe('blocked approver_not_allowed')
  })

  const askInManagersName = (paymentId: string) =>
    requestRelease(client, house, { paymentId, accountId: house.manager.accountId })

  test('cannot be released again, by its manager or in their name', async () => {
    for (const { expense, paymentId } of forged) {
      expect(outcome(await release(house, expense))).toBe('409 state_conflict')
      expect(await askInManagersName(paymentId)).toBe('state_conflict')
    }
  })

  test('keeps its block code', async () => {
    const [{ paymentId } = { paymentId: '' }] = forged
    const hidden = `update payments set block_code = 'token_refused' where id = '${paymentId}'`
    await expect(asThief(hidden)).rejects.toMatchObject(DENIED)
  })

  test('is logged as an error by the worker and makes health action_required', async () => {
    for (const { paymentId } of forged) {
      const line = stage.worker
        .stderr()
        .split('\n')
        .find((text) => text.includes(paymentId) && text.includes('a forged payment was blocked'))
      expect(JSON.parse(line ?? '{}')).toMatchObject({ organizationId: house.id, paymentId })
    }
    await vi.waitFor(
      async () => {
        const { body } = await stage.service.call('GET', `${house.path}/live/snapshot`, {
          token: house.owner.token,
        })
        const database = body.services.find(({ id }: { id: string }) => id === 'database')
        expect(database).toMatchObject({ severity: 'action_required', code: 'forged_rows' })
      },
      { timeout: 40_000, interval: 500 },
    )
  })

  test('moves no money', async () => {
    expect(await paidByVault(house)).toHaveLength(paidBefore)
    expect(await tokenBalance(house, thief.address)).toBe(0n)
  })
})
