/** Reports, payments on the chain and saved heads reveal a carefully changed audit trail. */
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readVaultPayments } from '#adapters/chain/vault-payments.ts'
import { type PaymentOnChain, verifyAnchors } from '#analysis/verify-anchors.ts'
import { type KeptHead, type OwnedHead, readHeads, verifyAudit } from '#journal/audit.ts'
import {
  createTampering,
  cutTrail,
  type Owner,
  replaceEvent,
  rewriteReport,
} from '#test/support/audit-tampering.ts'
import {
  approve,
  awaitingApproval,
  openPayingHouse,
  type PayingHouse,
  readPayment,
  untilState,
} from '#test/support/payments.ts'
import { addRecipient, auditTrail, liftOwnersRowSecurity } from '#test/support/steps.ts'
import { startTreasury, type Treasury } from '#test/support/treasury.ts'
import { listVerifiedVaults } from '#treasury/vaults.store.ts'

let treasury: Treasury
let house: PayingHouse
let tampering: ReturnType<typeof createTampering>
/** The report of the one payment, and the head of the trail that it names. */
let report: { id: string; output: Record<string, unknown> }
let anchored: number
let onChain: PaymentOnChain[]
let kept: OwnedHead

beforeAll(async () => {
  treasury = await startTreasury()
  const { service, chain } = treasury
  house = await openPayingHouse(treasury)
  const expense = await awaitingApproval(house)
  await approve(house, expense)
  const { paymentId } = await untilState(house, expense.id, 'paid')
  const { evidence } = await readPayment(house, paymentId)
  report = evidence.report
  anchored = evidence.report.output.auditHead.sequence
  await addRecipient(service, house)
  await liftOwnersRowSecurity(service.database)
  tampering = createTampering(service.database.url)
  const vaults = await listVerifiedVaults(service.ctx.observerDb)
  const { payments } = await readVaultPayments(chain.rpcUrl, { vaults, confirmations: 1 })
  onChain = payments.map(([{ organizationId }, payment]) => ({ organizationId, ...payment }))
  const heads = await readHeads(service.ctx.observerDb.query)
  kept = heads.find(({ organizationId }) => organizationId === house.id) as OwnedHead
})
afterAll(async () => {
  await tampering.stop()
  await treasury.stop()
})

const untouched = async () => {}

function verdictAfter(
  tamper: (owner: Owner) => Promise<unknown>,
  { payments = [], heads = [] }: { payments?: PaymentOnChain[]; heads?: KeptHead[] } = {},
) {
  return tampering.afterwards(tamper, async (query) => {
    const trail = await verifyAudit(query, { kept: heads })
    const anchors = await verifyAnchors(query, { trails: trail.trails, payments })
    const vouched = anchors.vouched.find(({ organizationId }) => organizationId === house.id)
    return { problems: [...trail.problems, ...anchors.problems], vouched }
  })
}

const of = (seq: number | null, problem: string) => ({ organizationId: house.id, seq, problem })
const cut = (after: number) => (owner: Owner) =>
  cutTrail(owner, { organizationId: house.id, after })
const replace = (seq: number) => (owner: Owner) =>
  replaceEvent(owner, { organizationId: house.id, seq, data: { role: 'manager' } })

describe('a report', () => {
  test('names the last event before its own analysis, with its hash', async () => {
    const trail = await auditTrail(treasury.service.database, house.id)
    const own = trail.findIndex(
      ({ data }) => (data as { reportId?: string }).reportId === report.id,
    )
    // The run's success is recorded in the same transaction, before the expense changes state.
    expect(trail[own]?.action).toBe('expense.flagged')
    expect(trail[own - 1]?.action).toBe('agent_run.succeeded')
    expect(anchored).toBe(trail[own - 2]?.seq)
    expect(report.output.auditHead).toEqual({
      sequence: anchored,
      hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    })
  })
})

describe('an unchanged trail', () => {
  test('verifies, and the chain vouches for it up to the analysis of the payment', async () => {
    expect(onChain).toHaveLength(1)
    const { problems, vouched } = await verdictAfter(untouched, {
      payments: onChain,
      heads: [kept],
    })
    expect(problems).toEqual([])
    expect(vouched).toEqual({
      organizationId: house.id,
      sequence: kept.sequence,
      upTo: anchored,
      payment: onChain[0],
    })
    expect(kept.sequence).toBeGreaterThan(anchored)
  })

  test('is not anchored without a payment on the chain', async () => {
    const { problems, vouched } = await verdictAfter(untouched)
    expect({ problems, upTo: vouched?.upTo }).toEqual({ problems: [], upTo: 0 })
  })
})

describe('a trail truncated together with its recorded head', () => {
  test('is detected by a report made after a removed event', async () => {
    const { problems, vouched } = await verdictAfter(cut(anchored - 1))
    const problem = `report ${report.id} names this event as its head, but the event is missing`
    expect(problems).toEqual([of(anchored, problem)])
    expect(vouched?.upTo).toBe(0)
  })

  test('is detected by a saved head when no report was made since', async () => {
    const unseen = await verdictAfter(cut(kept.sequence - 1), { payments: onChain })
    expect(unseen.problems).toEqual([])
    const { problems } = await verdictAfter(cut(kept.sequence - 1), { heads: [kept] })
    const end = kept.sequence - 1
    const problem = `the trail ends at ${end}, before the kept head`
    expect(problems).toEqual([of(kept.sequence, problem)])
  })

  test('is detected by a saved head for the trail without an organization', async () => {
    const { organizationId: _whose, ...head } = kept
    expect((await verdictAfter(untouched, { heads: [head] })).problems).toEqual([])
    const { problems } = await verdictAfter(cut(kept.sequence - 1), { heads: [head] })
    const named = `${head.sequence}:${head.hash}`
    const problem = `no trail has the kept head ${named}: one was cut, changed or removed`
    expect(problems).toEqual([{ organizationId: null, seq: null, problem }])
  })
})

describe('a trail that was removed entirely', () => {
  test('is reported as empty, and detected by its reports', async () => {
    const { problems } = await verdictAfter(cut(0))
    const problem = `report ${report.id} names this event as its head, but the event is missing`
    expect(problems).toEqual([of(null, 'the trail is empty'), of(anchored, problem)])
  })

  test('is reported as empty for the trail without an organization', async () => {
    const { problems } = await verdictAfter(async (owner) => {
      await owner(sql`delete from audit_events where organization_id is null`)
      await owner(sql`delete from audit_heads where organization_id is null`)
    })
    expect(problems).toEqual([{ organizationId: null, seq: null, problem: 'the trail is empty' }])
  })
})

describe('a trail with an event replaced and every hash computed anew', () => {
  const problem = () => `report ${report.id} names a different event as its head`

  test('is detected by the report, and by the payment on the chain that names it', async () => {
    const offline = await verdictAfter(replace(3))
    expect(offline.problems).toEqual([of(anchored, problem())])
    const { problems, vouched } = await verdictAfter(replace(3), { payments: onChain })
    const paid = `payment ${onChain[0]?.transactionHash} on chain names it`
    expect(problems).toEqual([of(anchored, `${problem()}; ${paid}`)])
    expect(vouched?.upTo).toBe(0)
  })

  test("is detected by the report's hash when only its output was adapted", async () => {
    const { problems } = await verdictAfter(async (owner) => {
      await replace(3)(owner)
      const output = JSON.stringify(await fitting(owner))
      await owner(sql`update reports set output = ${output}::jsonb where id = ${report.id}`)
    })
    expect(problems).toEqual([of(anchored, `report ${report.id} was changed after it was written`)])
  })

  test('is detected by the chain alone when the report was rewritten with its hash', async () => {
    const rewrite = async (owner: Owner) => {
      await replace(3)(owner)
      await rewriteReport(owner, { reportId: report.id, output: await fitting(owner) })
    }
    expect((await verdictAfter(rewrite)).problems).toEqual([])
    const { problems, vouched } = await verdictAfter(rewrite, { payments: onChain })
    expect(problems).toEqual([
      of(null, expect.stringMatching(/which no report in the database has$/)),
    ])
    expect(vouched?.upTo).toBe(0)
  })

  /** The report's output with the forged trail's head hash. */
  async function fitting(owner: Owner): Promise<unknown> {
    const [row] = await owner(sql`
      select hash from audit_events where organization_id = ${house.id} and seq = ${anchored}`)
    const hash = `0x${row?.hash.toString('hex')}`
    return { ...report.output, auditHead: { sequence: anchored, hash } }
  }
})

describe('a report of an earlier version, without a head', () => {
  test('verifies and anchors nothing', async () => {
    const { auditHead: _head, ...output } = report.output
    let reportHash = ''
    const tamper = async (owner: Owner) => {
      reportHash = await rewriteReport(owner, { reportId: report.id, output })
    }
    await verdictAfter(tamper)
    const payments = onChain.map((payment) => ({ ...payment, reportHash }))
    const { problems, vouched } = await verdictAfter(tamper, { payments })
    expect({ problems, upTo: vouched?.upTo }).toEqual({ problems: [], upTo: 0 })
  })
})

describe('a vault on a chain that the node does not serve', () => {
  test('is skipped and named', async () => {
    const [vault] = await listVerifiedVaults(treasury.service.ctx.observerDb)
    const vaults = vault ? [{ ...vault, chainId: 1 }] : []
    const { rpcUrl } = treasury.chain
    const found = await readVaultPayments(rpcUrl, { vaults, confirmations: 1 })
    expect(found).toEqual({ payments: [], elsewhere: vaults })
  })
})
