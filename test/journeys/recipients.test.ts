/** A vault with thousands of recipients on a real chain: listed, added, removed, blocked, paid. */
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import { type Address, decodeFunctionData, type Hex, keccak256, pad, toHex } from 'viem'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { insertRecipients } from '#organizations/recipients.store.ts'
import {
  approve,
  awaitingApproval,
  openPayingHouse,
  type PayingHouse,
  prepare,
  prepareAndSign,
  readPayment,
  renewPolicy,
  step,
  submitSignature,
  tokenBalance,
  untilState,
} from '#test/support/payments.ts'
import { outcome } from '#test/support/steps.ts'
import { startTreasury, type Treasury } from '#test/support/treasury.ts'

const MANY = 2_000

let treasury: Treasury
let house: PayingHouse
let suppliers: { id: string; address: Address }[]

beforeAll(async () => {
  treasury = await startTreasury()
  house = await openPayingHouse(treasury)
  suppliers = await addSuppliers(MANY - 1)
}, 60_000)
afterAll(() => treasury.stop())

let seed = 0

async function addSuppliers(count: number) {
  const { ctx } = treasury.service
  const rows = Array.from({ length: count }, () => {
    seed += 1
    const address = `0x${keccak256(toHex(seed)).slice(-40)}` as Address
    return { id: ctx.ids.next(), label: `Supplier ${seed}`, address, chainId: 31_337 }
  })
  const { id: organizationId, owner } = house
  await ctx.db.transaction({ organizationId }, (tx) =>
    insertRecipients(tx, {
      organizationId,
      createdByAccountId: owner.accountId,
      at: ctx.clock.now(),
      rows,
    }),
  )
  return rows
}

const supplier = (n: number) => {
  const one = suppliers[n]
  if (!one) throw new Error(`There is no supplier ${n}`)
  return one
}

const detail = async () =>
  (
    await treasury.service.call('GET', `${house.path}/vaults/${house.vault.id}`, {
      token: house.owner.token,
    })
  ).body

/** The owner does it in the own wallet, without the service. */
async function alone(functionName: string, ...args: unknown[]): Promise<void> {
  const call = { address: house.vault.address, abi: vaultAbi, functionName, args }
  expect(await treasury.chain.mined(await house.ownerWallet.call(call))).toBe('success')
}

const callOf = (data: Hex) => decodeFunctionData({ abi: vaultAbi, data }).functionName

/** What the contract says of a payment that the executor would send now. */
async function asked(recipient: Address): Promise<string> {
  const { client } = treasury.chain
  const [version, id] = await Promise.all([
    client.readContract({
      address: house.vault.address,
      abi: vaultAbi,
      functionName: 'policyVersion',
    }),
    pad(toHex(seed), { size: 32 }),
  ])
  const hash = keccak256('0x01')
  return client
    .simulateContract({
      address: house.vault.address,
      abi: vaultAbi,
      functionName: 'executeAutomatic',
      args: [id, recipient, 1n, version, hash, hash, 4_000_000_000n],
      account: house.executor,
    })
    .then(
      () => 'paid',
      (error) => error.cause?.data?.errorName ?? String(error),
    )
}

const approvalsOf = (expenseId: string) =>
  treasury.service.database.asOwner<{ state: string; code: string | null }>(
    'select state, end_code as code from approvals where expense_id = $1 order by id',
    [expenseId],
  )

describe(`a list of ${MANY} recipients`, () => {
  test('is set up in four transactions, one after the other, and voids no approval', async () => {
    const expense = await awaitingApproval(house)
    const signed = await prepareAndSign(house, expense)
    const seen = []
    for (let n = 0; n < 4; n += 1) {
      const intent = await renewPolicy(house)
      const { kind, remainingRecipientChanges, policyVersion, changes } = intent
      expect(callOf(intent.transaction.data)).toBe('changeRecipients')
      seen.push([kind, changes.recipients.added.length, remainingRecipientChanges, policyVersion])
    }
    expect(seen).toEqual([
      ['recipients', 500, 1_499, 1],
      ['recipients', 500, 999, 1],
      ['recipients', 500, 499, 1],
      ['recipients', 499, 0, 1],
    ])
    const { policy, differences, recipientsVersion } = await detail()
    expect(policy.version).toBe(1)
    expect(policy.recipientAddresses).toHaveLength(MANY)
    expect(differences).toMatchObject({ missingRecipients: [], extraRecipients: [] })
    expect(recipientsVersion).toBe(5)
    expect(outcome(await submitSignature(house, expense, signed))).toBe('202')
    await untilState(house, expense.id, 'paid')
  }, 60_000)

  test('pays any of them like the first, and names the log that allowed it', async () => {
    const { id: recipientId, address } = supplier(MANY - 2)
    const expense = await awaitingApproval(house, { recipientId })
    expect((await approve(house, expense)).status).toBe(202)
    const { revision } = await untilState(house, expense.id, 'paid')
    expect(await tokenBalance(house, address)).toBe(BigInt(revision.amountBaseUnits))
    const { evidence } = await readPayment(house, expense.paymentId)
    expect(evidence.recipient.recipientsVersion).toBeOneOf([2, 3, 4, 5])
    expect(await asked(address)).toBe('paid')
  }, 60_000)

  test('gets one more by a transaction that names just that one', async () => {
    const [added] = await addSuppliers(1)
    const address = added?.address as Address
    expect(await asked(address)).toBe('RecipientNotAllowed')
    const intent = await renewPolicy(house)
    expect(intent).toMatchObject({ kind: 'recipients', state: 'confirmed', policyVersion: 1 })
    const { args } = decodeFunctionData({ abi: vaultAbi, data: intent.transaction.data })
    expect(args).toEqual([5n, [expect.stringMatching(new RegExp(address, 'i'))], []])
    expect(intent.recipientAddresses).toHaveLength(MANY + 1)
    expect(await asked(address)).toBe('paid')
  })

  test('loses one whose recipient is deactivated', async () => {
    const { id, address } = supplier(3)
    expect((await step(house, `recipients/${id}/deactivate`, undefined)).status).toBe(200)
    expect((await detail()).differences.extraRecipients).toHaveLength(1)
    const intent = await renewPolicy(house)
    expect(intent).toMatchObject({ kind: 'recipients', policyVersion: 1 })
    expect(intent.changes.recipients.removed).toHaveLength(1)
    expect(await asked(address)).toBe('RecipientNotAllowed')
  })
})

describe('a recipient that the owner removes alone', () => {
  test('is drift, voids the approvals that wait for it, and needs a new one', async () => {
    const { id: recipientId, address } = supplier(10)
    const expense = await awaitingApproval(house, { recipientId })
    const other = await awaitingApproval(house, { recipientId: supplier(11).id })
    for (const one of [expense, other]) await prepareAndSign(house, one)
    await alone('changeRecipients', 7n, [], [address])
    await vi.waitFor(async () => {
      expect(await approvalsOf(expense.id)).toEqual([
        { state: 'superseded', code: 'approval_superseded' },
      ])
    }, 20_000)
    expect(await approvalsOf(other.id)).toEqual([{ state: 'prepared', code: null }])
    const refused = await prepare(house, expense)
    expect(outcome(refused)).toBe('409 policy_violation')
    expect(refused.body.error.message).toBe(
      'The vault does not list this recipient on chain. Prepare a policy to add it.',
    )
    expect((await detail()).differences.missingRecipients).toHaveLength(1)
    const drift = await treasury.service.database.asOwner(
      "select severity from live_events where organization_id = $1 and code = 'recipients_drift'",
      [house.id],
    )
    expect(drift).toEqual([{ severity: 'action_required' }])
    await renewPolicy(house)
    expect((await approve(house, expense)).status).toBe(202)
    await untilState(house, expense.id, 'paid')
  }, 60_000)
})

describe('a blocked recipient', () => {
  test('is not paid until the owner lifts the block, whatever the list says', async () => {
    const { id: recipientId, address } = supplier(20)
    await alone('blockRecipient', address)
    await vi.waitFor(async () => {
      expect((await detail()).blockedRecipientAddresses).toHaveLength(1)
    }, 20_000)
    const expense = await awaitingApproval(house, { recipientId })
    const refused = await prepare(house, expense)
    expect(outcome(refused)).toBe('409 policy_violation')
    expect(refused.body.error.message).toBe(
      'This recipient is blocked on chain. Only the owner can lift the block.',
    )
    expect(await asked(address)).toBe('RecipientIsBlocked')
    await renewPolicy(house, { approvedCap: '50000001' })
    expect(await asked(address)).toBe('RecipientIsBlocked')
    await alone('unblockRecipient', address)
    await vi.waitFor(async () => {
      expect((await detail()).blockedRecipientAddresses).toEqual([])
    }, 20_000)
    expect((await approve(house, expense)).status).toBe(202)
    await untilState(house, expense.id, 'paid')
  }, 60_000)
})

test('a policy and recipients that both change are one transaction', async () => {
  const { policy } = await detail()
  await addSuppliers(1)
  const intent = await renewPolicy(house, { approvedCap: '50000002' })
  expect(callOf(intent.transaction.data)).toBe('configurePolicyAndRecipients')
  expect(intent).toMatchObject({
    kind: 'policy_and_recipients',
    state: 'confirmed',
    policyVersion: policy.version + 1,
  })
  expect((await detail()).differences.missingRecipients).toEqual([])
  const again = await renewPolicy(house, { approvedCap: '50000002' })
  expect(again).toMatchObject({ kind: 'policy', policyVersion: policy.version + 2 })
})
