/**
 * README, "Who can take what": an attacker with the schema owner's login, but without WORKER_SECRET
 * and KEYSTORE_SECRET, can write any row; MACs, signatures and the contract still hold.
 */
import { randomUUID } from 'node:crypto'
import { chainPaymentIdOf, organizationHash } from '@countersign/proof/digest.ts'
import type pg from 'pg'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { cleanUp } from '#test/processes/processes.ts'
import { joinOrganization } from '#test/support/app.ts'
import { beginExport, makeServerWallet, openExport } from '#test/support/exports.ts'
import {
  awaitingApproval,
  type PayingHouse,
  prepareAndSign,
  signTypedData,
  submitExpense,
  tokenBalance,
  untilState,
} from '#test/support/payments.ts'
import {
  enqueueJob,
  forgeReservation,
  forgeSubmission,
  insertLike,
  paidByVault,
  untilExpenseSettled,
  untilSettled,
} from './forging.ts'
import { AUTOMATIC_CAP, connect, type StageHere, startStageHere, USDC } from './stage.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 })

/** More than half of ten automatic caps, so that the contract is what stops the theft. */
const LIFETIME = 14n * USDC

let stage: StageHere
let house: PayingHouse
let client: pg.Client
let thief: Awaited<ReturnType<StageHere['chain']['wallet']>>
/** Paid before the theft. */
let model: string

beforeAll(async () => {
  const cap = String(LIFETIME)
  stage = await startStageHere({ policy: { approvedCap: cap, lifetimeCap: cap } })
  house = stage.house
  thief = await stage.chain.wallet()
  // The stage has lifted forced row-level security, as the owner could.
  client = await connect(stage.logins.owner)
  model = await submitExpense(house, { requestedMode: 'automatic', amountBaseUnits: '1000000' })
  await untilState(house, model, 'paid')
})
afterAll(cleanUp)

const paid = async () => (await paidByVault(house)).reduce((sum, { amount }) => sum + amount, 0n)

/** Queues an automatic payment of the expense like the model's, and wakes its lane. */
async function forgeAutomatic(expenseId: string, reportId: string): Promise<string> {
  const { rows } = await client.query(
    `select e.payment_id as id, r.version_hash as hash, r.amount, t.report_hash, o.salt,
       b.id as lane from expenses e
     join expense_revisions r on r.expense_id = e.id join reports t on t.id = $2
     join organizations o on o.id = e.organization_id
     join executor_bindings b on b.organization_id = o.id where e.id = $1`,
    [expenseId, reportId],
  )
  const { id, hash, amount, report_hash, salt, lane } = rows[0]
  const hashOfHouse = organizationHash({ organizationId: house.id, salt })
  const about = { chainId: 31_337, organizationHash: hashOfHouse, paymentId: id }
  await insertLike(client, {
    table: 'payments',
    where: `o.expense_id = '${model}'`,
    changes: {
      ...{ id, expense_id: expenseId, expense_version_hash: hash, amount, report_hash },
      ...{ chain_payment_id: chainPaymentIdOf(about), report_id: reportId, state: 'queued' },
      ...{ lane_id: lane, transaction_hash: null, executor_binding_id: null },
      ...{ executor_address: null, executor_provider_type: null, released_at: new Date() },
      ...{ deadline: new Date(Date.now() + 3_600_000) },
    },
  })
  await enqueueJob(client, 'work_lane', { organizationId: house.id, laneId: lane })
  return id
}

describe("the schema owner's login", () => {
  test('cannot forge a report: its MAC belongs to another expense', async () => {
    const before = await paid()
    const { accountId } = house.owner
    const { id, runId } = await forgeSubmission(client, house, {
      accountId,
      amount: 1_600_000n,
      // Never analysed: the attacker writes the report.
      isQueued: false,
    })
    const reportId = randomUUID()
    const changes = { id: reportId, expense_id: id, run_id: runId }
    const where = `o.expense_id = '${model}'`
    await insertLike(client, { table: 'reports', where, changes })
    await client.query(
      `update expenses set current_report_id = $2, state = 'automatic_ready_for_payment'
       where id = $1`,
      [id, reportId],
    )
    const paymentId = await forgeAutomatic(id, reportId)
    expect(await untilSettled(client, paymentId)).toBe('blocked report_not_authentic')
    expect(await paid()).toBe(before)
  })

  test('cannot forge an automatic authorization: its MAC belongs to another payment', async () => {
    const before = await paid()
    // A new member's expense has a worker's report and needs a signature.
    const newcomer = await joinOrganization(stage.service, house, { role: 'employee' })
    const terms = { requestedMode: 'automatic', amountBaseUnits: '1400000' }
    const id = await submitExpense({ ...house, employee: newcomer }, terms)
    const { currentReportId } = await untilState(house, id, 'needs_review')
    await client.query(`update expenses set state = 'automatic_ready_for_payment' where id = $1`, [
      id,
    ])
    const paymentId = await forgeAutomatic(id, currentReportId ?? '')
    expect(await untilSettled(client, paymentId)).toBe('blocked authorization_not_authentic')
    expect(await paid()).toBe(before)
  })

  test("cannot forge an approval past the worker's checks: the vault refuses it", async () => {
    const before = await paid()
    const expense = await awaitingApproval(house)
    const { approvalId, prepared } = await prepareAndSign(house, expense)
    const signature = await signTypedData(thief, prepared)
    const { rows } = await client.query('select id from executor_bindings')
    const laneId = rows[0].id
    const changes = { state: 'queued', lane_id: laneId, released_at: new Date() }
    const about = { approvalId, expenseId: expense.id, signature, changes }
    const paymentId = await forgeReservation(client, house, about)
    await enqueueJob(client, 'work_lane', { organizationId: house.id, laneId })
    expect(await untilSettled(client, paymentId)).toBe('blocked invalid_signature')
    expect(await paid()).toBe(before)
  })

  test('cannot raise a cap or add a recipient: the vault has its own', async () => {
    const before = await paid()
    const { accountId } = house.owner
    await client.query(`update policies set automatic_cap = 100000000, lifetime_cap = 1000000000`)
    await client.query(
      `insert into vault_recipients (organization_id, vault_id, address, allowed_from,
         recipients_version, transaction_hash, block_number)
       select organization_id, vault_id, lower($1), allowed_from, recipients_version,
         transaction_hash, block_number
       from vault_recipients where allowed_from is not null limit 1`,
      [thief.address],
    )
    const large = await forgeSubmission(client, house, { accountId, amount: 10n * USDC })
    expect(await untilExpenseSettled(client, large.id)).toBe('blocked')
    const recipient = { id: randomUUID(), address: thief.address }
    await insertLike(client, {
      table: 'recipients',
      where: `o.id = '${house.recipientId}'`,
      changes: { id: recipient.id, address: recipient.address.toLowerCase() },
    })
    const other = await forgeSubmission(client, house, { accountId, amount: 1n * USDC, recipient })
    expect(await untilExpenseSettled(client, other.id)).toBe('blocked')
    expect([await paid(), await tokenBalance(house, thief.address)]).toEqual([before, 0n])
  })

  test('can cause automatic payments above their limits, up to the lifetime cap', async () => {
    const { accountId } = house.owner
    const forget = () =>
      client.query(`
        update payments set authorised_at = authorised_at - interval '30 days';
        update expense_revisions set submitted_at = submitted_at - interval '90 days';
        update vaults set spent_total = 0`)
    const states: string[] = []
    for (let n = 0; n < 8; n += 1) {
      await forget()
      const amount = AUTOMATIC_CAP - BigInt(n)
      const { id } = await forgeSubmission(client, house, { accountId, amount })
      states.push(await untilExpenseSettled(client, id))
    }
    expect(states).toEqual([...Array(6).fill('paid'), 'blocked', 'blocked'])
    const all = await paidByVault(house)
    expect(new Set(all.map(({ recipient }) => recipient))).toEqual(new Set([house.recipient]))
    for (const { amount } of all) expect(amount).toBeLessThanOrEqual(AUTOMATIC_CAP)
    expect(await paid()).toBeGreaterThan(5n * AUTOMATIC_CAP)
    expect(await paid()).toBeLessThanOrEqual(LIFETIME)
  })

  test("can export a server wallet's key by taking over its account", async () => {
    const holder = { realm: 'consumer', ...house.employee } as const
    const wallet = await makeServerWallet(stage.service, holder)
    const subject = `thief-${randomUUID()}`
    await client.query('update accounts set subject = $2 where id = $1', [
      house.employee.accountId,
      subject,
    ])
    const { token } = await stage.service.signIn(subject)
    const ceremony = await beginExport(stage.service, { realm: 'consumer', token, subject }, wallet)
    const { status, body } = await ceremony.complete()
    expect(status).toBe(200)
    const key = await openExport(ceremony.keys, body)
    expect(privateKeyToAccount(`0x${key.replace(/^0x/, '')}`).address).toBe(wallet.address)
  })
})
