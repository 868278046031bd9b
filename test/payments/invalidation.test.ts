/** Which transaction on the chain takes an approval back, to the block and to the field. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { invalidateApproval } from '#approvals/withdraw-approval.ts'
import type { ChainReceipt } from '#ports/chain.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { expenseIn } from '#test/support/expense-states.ts'
import { openSigningHouse, type SigningHouse, signAs } from '#test/support/signing.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'

const BLOCK = 10
const CONFIRMATIONS = 3
const HASH = `0x${'cd'.repeat(32)}`
const BLOCK_HASH = `0x${'b1'.repeat(32)}`

type Approval = { id: string; digest: string; approver: string; owner: string }

let service: TestApp
let house: SigningHouse
let approval: Approval

beforeAll(async () => {
  service = await startTestApp()
  await liftOwnersRowSecurity(service.database)
  house = await openSigningHouse(service)
  const expense = await expenseIn(service, house, 'awaiting_approval')
  expect((await signAs(service, house, expense, house.signer)).status).toBe(202)
  const [row] = await service.database.asOwner<Approval>(
    `select a.id, a.digest, a.approver_address as approver, v.owner_address as owner
     from approvals a join vaults v on v.id = a.vault_id where a.state = 'signed'`,
  )
  if (!row) throw new Error('Nothing is signed')
  approval = row
})
afterAll(() => service.stop())

type Change = {
  head?: number
  canonicalHash?: string
  status?: ChainReceipt['status']
  address?: string
  digest?: string
  invalidator?: string
  isUnknown?: boolean
}

async function codeOf(change: Change = {}): Promise<string> {
  const { head = BLOCK + CONFIRMATIONS - 1, canonicalHash = BLOCK_HASH } = change
  const { status = 'success', address = house.vaultAddress } = change
  const { digest = approval.digest, invalidator = approval.approver } = change
  const event = { name: 'ApprovalInvalidated', digest, invalidator }
  const events = [{ address, event }]
  const receipt = { status, blockNumber: BLOCK, blockHash: BLOCK_HASH, events }
  const chain = {
    ...service.ctx.chain,
    confirmations: CONFIRMATIONS,
    findTransaction: async () => (change.isUnknown ? undefined : { receipt }),
    latestBlock: async () => ({ number: head }),
    findBlock: async () => ({ hash: canonicalHash }),
  } as unknown as typeof service.ctx.chain
  const { organization } = house
  const actor = {
    organizationId: organization.id,
    accountId: organization.owner.accountId,
    membershipId: organization.ownerMembershipId,
    role: 'owner' as const,
    requestId: 'r',
  }
  const asked = { actor, approvalId: approval.id, transactionHash: HASH }
  return invalidateApproval({ ...service.ctx, chain }, asked).then(
    ({ state }) => state,
    ({ code }) => code,
  )
}

test.each<[string, Change, string]>([
  ['an unknown transaction', { isUnknown: true }, 'state_conflict'],
  ['one confirmation too few', { head: BLOCK + CONFIRMATIONS - 2 }, 'state_conflict'],
  ['a block that was replaced', { canonicalHash: HASH }, 'state_conflict'],
  ['a reverted transaction', { status: 'reverted' }, 'transaction_failed'],
  ['a log of another vault', { address: `0x${'9'.repeat(40)}` }, 'transaction_mismatch'],
  ['another digest', { digest: HASH }, 'transaction_mismatch'],
  ["a stranger's log", { invalidator: `0x${'9'.repeat(40)}` }, 'transaction_mismatch'],
])('%s takes nothing back', async (_name, change, code) => {
  expect(await codeOf(change)).toBe(code)
  const [row] = await service.database.asOwner('select state from approvals where id = $1', [
    approval.id,
  ])
  expect(row?.state).toBe('signed')
})

test('exactly as many confirmations as the chain asks for take it back', async () => {
  expect(await codeOf()).toBe('invalidated')
})
