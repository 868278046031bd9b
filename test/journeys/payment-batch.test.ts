/** Payments are processed in batches: one that cannot proceed does not delay the others. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { verifyAudit } from '#journal/audit.ts'
import { authorisedExpenses, releaseTogether } from '#test/support/authorised-expenses.ts'
import { executions } from '#test/support/past-the-service.ts'
import { openPayingHouse, type PayingHouse } from '#test/support/payments.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'
import { startTreasury, type Treasury } from '#test/support/treasury.ts'

vi.setConfig({ testTimeout: 60_000 })

const COUNT = 8

let treasury: Treasury
let house: PayingHouse
let all: string[]
/** The payments of one test. */
let ids: string[]

beforeAll(async () => {
  treasury = await startTreasury({ env: { PAYMENT_RELEASE: 'manual' } })
  await liftOwnersRowSecurity(treasury.service.database)
  house = await openPayingHouse(treasury)
  all = await authorisedExpenses(house, { count: 2 * COUNT, amount: 10_000n })
})
afterAll(() => treasury.stop())

type Row = { expense: string; state: string; code: string | null; nonce: number }

const rows = () =>
  treasury.service.database.asOwner<Row>(
    `select p.expense_id as expense, p.state, p.block_code as code, a.nonce::integer
     from payments p left join payment_attempts a on a.payment_id = p.id
     where p.expense_id = any($1) order by a.nonce`,
    [ids],
  )

const statesOf = async () => (await rows()).map(({ state }) => state).toSorted()
const untilStates = (expected: string[]) =>
  expect.poll(statesOf, { timeout: 50_000 }).toEqual(expected.toSorted())
const confirmed = (count: number) => Array.from({ length: count }, () => 'confirmed')

async function expectPaidInARow(): Promise<void> {
  const paid = (await rows()).filter(({ state }) => state === 'confirmed')
  const [first] = paid
  expect(paid.map(({ nonce }) => nonce)).toEqual(paid.map((_, at) => (first?.nonce ?? 0) + at))
  const logs = await executions(house)
  expect(new Set(logs).size).toBe(logs.length)
}

/** Expects every audit event in one unbroken chain. */
async function expectWholeTrail(): Promise<void> {
  const { ownerDb } = treasury.service.ctx
  expect((await verifyAudit((statement) => ownerDb.query(statement) as never)).problems).toEqual([])
  const told = await treasury.service.database.asOwner<{ expense: string; actions: string[] }>(
    `select p.expense_id as expense, array_agg(a.action order by a.seq) as actions
     from payments p join audit_events a on a.aggregate_id in (p.id::text, p.expense_id::text)
     where p.expense_id = any($1) and p.state = 'confirmed' group by 1`,
    [ids],
  )
  for (const { actions } of told) {
    expect(actions).toEqual([
      'payment.reserved',
      'payment.released',
      'payment.submitted',
      'expense.payment_submitted',
      'payment.accepted',
      'payment.confirmed',
      'expense.payment_confirmed',
    ])
  }
}

test('one whose rows no longer add up is blocked, and the others are paid', async () => {
  ids = all.slice(0, COUNT)
  await treasury.service.database.asOwner(
    `update expense_revisions set purpose = 'Something else' where expense_id = $1`,
    [ids[3]],
  )
  await releaseTogether(house, ids)
  await untilStates(['blocked', ...confirmed(COUNT - 1)])
  const blocked = (await rows()).find(({ state }) => state === 'blocked')
  expect(blocked).toMatchObject({ expense: ids[3], code: 'evidence_mismatch', nonce: null })
  await expectPaidInARow()
  await expectWholeTrail()
})

test('one that makes the transaction fail waits alone and is paid once it can be', async () => {
  ids = all.slice(COUNT)
  const { executor } = treasury.service.ctx
  if (!executor.sign) throw new Error('The executor does not sign')
  const { sign } = executor
  const [stuck] = await treasury.service.database.asOwner<{ hash: string }>(
    'select version_hash as hash from expense_revisions where expense_id = $1',
    [ids[2]],
  )
  executor.sign = async (input) => {
    if (stuck && input.call.data.includes(stuck.hash.slice(2))) throw new Error('cannot be signed')
    return sign(input)
  }
  await releaseTogether(house, ids)
  await untilStates(['queued', ...confirmed(COUNT - 1)])
  const waiting = (await rows()).find(({ state }) => state === 'queued')
  expect(waiting).toMatchObject({ expense: ids[2], nonce: null })
  await expectPaidInARow()

  executor.sign = sign
  await untilStates(confirmed(COUNT))
  await expectPaidInARow()
  await expectWholeTrail()
})
