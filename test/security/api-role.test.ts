/** What a database login that is only a member of `countersign_app` can change about money. */
import { randomUUID } from 'node:crypto'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  automaticReady,
  awaitingApproval,
  openPayingHouse,
  type PayingHouse,
  prepareAndSign,
  submitSignature,
} from '#test/support/payments.ts'
import { startTreasury, type Treasury } from '#test/support/treasury.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 })

let treasury: Treasury
let house: PayingHouse
/** A payment with a signature and one released by the policy, both reserved. */
let signed: string
let automatic: string

beforeAll(async () => {
  treasury = await startTreasury({ env: { PAYMENT_RELEASE: 'manual' } })
  house = await openPayingHouse(treasury)
  const expense = await awaitingApproval(house)
  const answer = await submitSignature(house, expense, await prepareAndSign(house, expense))
  expect([answer.status, answer.body.state]).toEqual([202, 'reserved'])
  signed = answer.body.id
  automatic = (await automaticReady(house)).paymentId
})
afterAll(() => treasury.stop())

const asApi = (text: string) =>
  treasury.service.api.db.transaction({ organizationId: house.id }, (tx) => tx.query(sql([text])))

const refused = { code: '42501' }

/** The role's `insert`, `update` and `delete` rights on each table, without columns. */
const writable = async () => {
  const rows = await treasury.service.database.asOwner<{ name: string; may: string[] }>(`
    select c.relname as name, array_remove(array[
      case when has_any_column_privilege('countersign_app', c.oid, 'insert') then 'insert' end,
      case when has_any_column_privilege('countersign_app', c.oid, 'update') then 'update' end,
      case when has_table_privilege('countersign_app', c.oid, 'delete') then 'delete' end], null)
      as may
    from pg_class c where c.relnamespace = 'countersign'::regnamespace and c.relkind = 'r'`)
  return new Map(rows.map(({ name, may }) => [name, may.join(' ')]))
}

describe('the API role', () => {
  test.each([
    ...['reports', 'payment_attempts', 'payment_receipts', 'executor_bindings', 'policies'],
    ...['vault_payments', 'chain_position', 'chain_blocks', 'chain_logs', 'worker_keys'],
    ...['worker_processes', 'service_health', 'executor_health', 'push_position'],
    ...['expense_words', 'expense_words_position'],
  ])('writes nothing to %s', async (table) => {
    expect((await writable()).get(table)).toBe('')
  })

  test('cannot change the sums that the follower keeps on a vault', async () => {
    for (const column of ['balance', 'spent_total', 'policy_version']) {
      await expect(asApi(`update vaults set ${column} = 9`)).rejects.toMatchObject(refused)
    }
  })

  test('cannot end a payment request, which only a worker answers', async () => {
    const update = `update payment_requests set outcome = 'done', ended_at = now()`
    await expect(asApi(update)).rejects.toMatchObject(refused)
  })

  test("cannot switch to the worker's role", async () => {
    // The test's own login is a member of every role, so it queries the membership directly.
    const [row] = await treasury.service.database.asOwner<{ may: boolean }>(
      `select pg_has_role('countersign_app', 'countersign_worker', 'member') as may`,
    )
    expect(row).toEqual({ may: false })
  })
})

describe('a payment written with the API role', () => {
  const states = ['queued', 'submitting', 'broadcast', 'reconciling', 'confirmed', 'failed']

  test.each(states)('cannot be moved from reserved to %s', async (state) => {
    const update = `update payments set state = '${state}' where id = '${signed}'`
    await expect(asApi(update)).rejects.toMatchObject(refused)
  })

  /** Inserts a copy of the signed payment with these changes. */
  const copy = (changes: Record<string, unknown>) => {
    const json = JSON.stringify({ id: randomUUID(), expense_id: randomUUID(), ...changes })
    return asApi(
      `insert into payments select n.* from payments p,
         jsonb_populate_record(p, '${json}') n where p.id = '${signed}'`,
    )
  }

  test.each([
    ['queued', { state: 'queued' }],
    ['automatic', { mode: 'automatic', approval_id: null, approval_digest: null }],
    ['sent', { transaction_hash: `0x${'11'.repeat(32)}` }],
    ['with an open attempt', { has_open_attempt: true }],
    ['in a lane', { lane_id: randomUUID() }],
    ['with a MAC', { mac: `\\x${'00'.repeat(32)}`, mac_key_id: 'abc' }],
    ['of a later lease epoch', { epoch: 7 }],
  ])('cannot be inserted as %s', async (_name, changes) => {
    await expect(copy(changes)).rejects.toMatchObject(refused)
  })

  test('cannot change its amount or recipient while it is reserved', async () => {
    for (const change of ['amount = amount + 1', `recipient_address = '0x${'99'.repeat(20)}'`]) {
      const update = `update payments set ${change} where id = '${signed}'`
      await expect(asApi(update)).rejects.toMatchObject(refused)
    }
  })

  test('cannot be made automatic again once it is blocked', async () => {
    await asApi(
      `update payments set state = 'blocked', block_code = 'recipient_deactivated'
       where id = '${automatic}'`,
    )
    for (const change of [`state = 'reserved'`, `state = 'queued'`, 'epoch = epoch + 1']) {
      const update = `update payments set ${change} where id = '${automatic}'`
      await expect(asApi(update)).rejects.toMatchObject(refused)
    }
  })

  test('can be blocked while it is unsent, if nothing else changes', async () => {
    const both = `update payments set state = 'blocked', amount = 1 where id = '${signed}'`
    await expect(asApi(both)).rejects.toMatchObject(refused)
    await asApi(`update payments set state = 'blocked', block_code = 'x' where id = '${signed}'`)
    const [row] = await asApi(`select state from payments where id = '${signed}'`)
    expect(row).toEqual({ state: 'blocked' })
  })
})

describe('a server wallet written with the API role', () => {
  const insert = (values: Record<string, string>) => {
    const row = {
      id: randomUUID(),
      account_id: house.owner.accountId,
      purpose: 'theirs',
      ...values,
    }
    const json = JSON.stringify({
      ...{
        kind: 'server',
        chain_type: 'ethereum',
        provider: 'privy',
        for_organization_id: house.id,
      },
      ...{ state: 'provisioning', created_at: '2026-01-01T00:00:00Z', export_failures: 0 },
      ...{ attempts: 0, idempotency_key: randomUUID(), fingerprint: '\\\\x00', ...row },
    })
    return treasury.service.api.db.transaction(
      { organizationId: house.id, accountId: house.owner.accountId },
      (tx) =>
        tx.query(
          sql([
            `insert into wallets select * from jsonb_populate_record(null::wallets, '${json}')`,
          ]),
        ),
    )
  }

  test.each([
    ['the key of another wallet', { provider_reference: '\\\\x61622f6578706f72743f' }],
    ['an address', { address: `0x${'ab'.repeat(20)}` }],
    ['a state other than provisioning', { state: 'active' }],
  ])('cannot have %s', async (_name, values) => {
    await expect(insert(values)).rejects.toMatchObject(refused)
  })
})
