/** `npm run audit -- verify --rpc`: the audit trail checked against payments on a node. */
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { main } from '#cli/audit.ts'
import { commandHere } from '#test/processes/commands.ts'
import { onTestChain, withLogin } from '#test/processes/environment.ts'
import { cleanUp } from '#test/processes/processes.ts'
import { createOrganization, type Organization } from '#test/support/app.ts'
import {
  approve,
  awaitingApproval,
  openPayingHouse,
  type PayingHouse,
  readPayment,
  untilState,
} from '#test/support/payments.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'
import { startTreasury, type Treasury } from '#test/support/treasury.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 90_000 })

let treasury: Treasury
let house: PayingHouse
let unpaid: Organization
let anchored: number
let transactionHash: string

beforeAll(async () => {
  treasury = await startTreasury()
  house = await openPayingHouse(treasury)
  unpaid = await createOrganization(treasury.service)
  const expense = await awaitingApproval(house)
  await approve(house, expense)
  await untilState(house, expense.id, 'paid')
  const { evidence, payment } = await readPayment(house, expense.paymentId)
  anchored = evidence.report.output.auditHead.sequence
  transactionHash = payment.transactionHash
  await liftOwnersRowSecurity(treasury.service.database)
})
afterAll(async () => {
  await treasury.stop()
  await cleanUp()
})

async function verify(rpcUrl: string, { url = treasury.service.database.url } = {}) {
  const env = { ...onTestChain(url, treasury.chain), LOG_LEVEL: 'silent' }
  return commandHere(main, ['verify', '--rpc', rpcUrl], env)
}

const lastOf = async ({ id }: { id: string }) => {
  const [row] = await treasury.service.database.asOwner<{ last: number }>(
    'select max(seq)::integer as last from audit_events where organization_id = $1',
    [id],
  )
  return row?.last
}

describe('npm run audit -- verify --rpc', () => {
  test('reports per organization which events the chain anchors and which are newer', async () => {
    const { code, stdout, stderr } = await verify(treasury.chain.rpcUrl)
    expect([code, stderr]).toEqual([0, ''])
    const [first, ...lines] = stdout.trimEnd().split('\n')
    expect(first).toMatch(/^The audit trail verifies: \d+ events in 3 chains\.$/)
    const vouched = new RegExp(
      `^${house.id}: the chain anchors events 1 to ${anchored} ` +
        `\\(payment ${transactionHash} in block \\d+\\)\\. ` +
        `Only kept heads can confirm events ${anchored + 1} to ${await lastOf(house)}\\.$`,
    )
    expect(lines).toContainEqual(expect.stringMatching(vouched))
    expect(lines).toContain(
      `${unpaid.id}: the chain anchors no events. ` +
        `Only kept heads can confirm events 1 to ${await lastOf(unpaid)}.`,
    )
  })

  test("needs only an observer's login", async () => {
    const { url, asOwner } = treasury.service.database
    const user = `auditor_${randomBytes(6).toString('hex')}`
    await asOwner(`create role ${user} login password 'auditor' in role countersign_observer`)
    try {
      const login = withLogin(url, { user, password: 'auditor' })
      expect(await verify(treasury.chain.rpcUrl, { url: login })).toMatchObject({ code: 0 })
    } finally {
      await asOwner(`drop role ${user}`)
    }
  })

  test('reports an unreadable node in one line, without its key', async () => {
    const { code, stdout, stderr } = await verify('http://127.0.0.1:1/key-that-must-not-be-shown')
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/^Cannot read the node at 127\.0\.0\.1:1: [^\n]+\n$/)
    expect(stderr).not.toContain('must-not-be-shown')
  })

  test('fails for a payment on the chain whose report was rewritten in the database', async () => {
    await treasury.service.database.asOwner(
      `update reports set report_hash = '0x${'ab'.repeat(32)}' where organization_id = $1`,
      [house.id],
    )
    const { code, stdout, stderr } = await verify(treasury.chain.rpcUrl)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain(`${house.id}: payment ${transactionHash} in block `)
    expect(stderr).toContain('which no report in the database has')
    expect(stderr).toContain(`${house.id}: the chain anchors no events.`)
  })
})
