import { randomUUID } from 'node:crypto'
import { createWalletClient, type Hex, http, parseGwei } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { encodeApproval } from '#adapters/chain/token-codec.ts'
import { probeServices } from '#health/probe-services.ts'
import type { LaneChain } from '#payments/engine/lane.ts'
import { AppError } from '#platform/errors.ts'
import { createOrganization } from '#test/support/app.ts'
import {
  actionsOf,
  attachControl,
  controlOf,
  type FundingHouse,
  giveGas,
  giveRole,
  keyOf,
  openFundingHouse,
  readyToDeposit,
  replaceProvider,
  requestAction,
  signerOf,
  tokensOf,
  untilAction,
} from '#test/support/funding.ts'
import { liftOwnersRowSecurity, liveTrail, outcome } from '#test/support/steps.ts'
import { randomHash, startTreasury, type Treasury } from '#test/support/treasury.ts'

const MAX = 3_000n
let treasury: Treasury
let house: FundingHouse

beforeAll(async () => {
  treasury = await startTreasury({ env: { FUNDING_MAX_BASE_UNITS: String(MAX) } })
  giveGas(treasury)
  await liftOwnersRowSecurity(treasury.service.database)
  house = await openFundingHouse(treasury)
})
afterAll(() => treasury.stop())

const silence = async () => {
  throw new AppError('dependency_unavailable', { retryAfterSeconds: 1 })
}

/** Runs SQL as an attacker who controls the database and nothing else. */
const tamper = (statement: string, values: unknown[]) =>
  treasury.service.database.asOwner(statement, values)

describe('attaching to the provider', () => {
  test('is 503 while it is silent; the same request resumes afterwards', async () => {
    const restore = replaceProvider(treasury, () => ({ attach: silence }))
    expect(outcome(await attachControl(treasury, house))).toBe('503 dependency_unavailable')
    const { id, attachmentState } = await controlOf(treasury, house)
    expect(attachmentState).toBe('pending')
    const { signerStatus, blockers } = await signerOf(treasury, house)
    expect(signerStatus).toBe('unavailable')
    expect(blockers).toContain('provider_unavailable')
    restore()
    expect((await attachControl(treasury, house)).body).toMatchObject({
      id,
      attachmentState: 'verified',
    })
    await readyToDeposit(treasury, house)
  })

  test('never verifies a policy that reads back differently, until it is corrected', async () => {
    const other = await openFundingHouse(treasury)
    const restore = replaceProvider(treasury, () => ({
      readBack: async () => ({ outcome: 'different', code: 'override_policy_missing' }) as const,
    }))
    const attached = await attachControl(treasury, other)
    const found = { attachmentState: 'attached', failureCode: 'override_policy_missing' }
    expect(attached).toMatchObject({ status: 200, body: found })
    expect((await signerOf(treasury, other)).policyStatus).toBe('invalid')
    expect(outcome(await requestAction(treasury, other))).toBe('409 signer_not_ready')
    restore()
    const mended = await attachControl(treasury, other)
    const right = { id: attached.body.id, attachmentState: 'verified', failureCode: null }
    expect(mended.body).toMatchObject(right)
    const changed = replaceProvider(treasury, () => ({
      readBack: async () => ({ outcome: 'different', code: 'policy_rule_differs' }) as const,
    }))
    const spoiled = { attachmentState: 'failed', failureCode: 'policy_rule_differs' }
    expect((await attachControl(treasury, other)).body).toMatchObject(spoiled)
    changed()
  })

  test('is refused without a vault, a wallet or a role', async () => {
    const empty = await createOrganization(treasury.service)
    const status = await signerOf(treasury, empty as never)
    expect(status).toMatchObject({ vaultAddress: '', signerId: null, blockers: ['no_vault'] })
    expect(outcome(await requestAction(treasury, empty as never))).toBe('409 signer_not_ready')
    const nowhere = { ...house, vault: { ...house.vault, id: randomUUID() } }
    expect(outcome(await attachControl(treasury, nowhere))).toBe('404 not_found')
    const poor = await openFundingHouse(treasury, { baseUnits: 0n, role: false })
    expect(outcome(await attachControl(treasury, poor))).toBe('409 treasury_owner_required')
    await giveRole(treasury, poor, poor.wallet.id)
    const { body } = await attachControl(treasury, poor)
    expect(body).toMatchObject({ attachmentState: 'verified' })
    await vi.waitFor(
      async () => expect((await signerOf(treasury, poor)).blockers).toEqual(['wallet_unfunded']),
      { timeout: 20_000, interval: 200 },
    )
    expect(outcome(await requestAction(treasury, poor))).toBe('409 insufficient_funds')
  })
})

describe('a deposit', () => {
  test("requires the approval's own transaction, and refuses any other hash", async () => {
    const [row] = await tamper(
      'select transaction_hash as hash from funding_transactions where organization_id = $1',
      [house.id],
    )
    const { hash } = row as { hash: string }
    expect(hash).toMatch(/^0x[0-9a-f]{64}$/)
    const asked = (approvalTransactionHash: string) =>
      requestAction(treasury, house, { amountBaseUnits: '10', approvalTransactionHash })
    expect(outcome(await asked(randomHash()))).toBe('409 transaction_mismatch')
    const { deploymentTransactionHash } = house.vault as never as Record<string, string>
    expect(outcome(await asked(deploymentTransactionHash ?? ''))).toBe('409 transaction_mismatch')
    expect(outcome(await asked('0x12'))).toBe('400 validation_failed')
    const right = await asked(hash)
    expect(right.status, right.text).toBe(202)
    await untilAction(treasury, house, right.body.id, 'confirmed')
  })

  test('whose answer is lost is sent again unchanged and reaches the vault once', async () => {
    const before = await tokensOf(treasury, house.vault.address)
    const { ctx } = treasury.service
    const { paymentChain } = ctx
    const sent: string[] = []
    const deaf: LaneChain = {
      ...paymentChain,
      send: async ({ raw }) => {
        sent.push(raw)
        return 'lost'
      },
    }
    ctx.paymentChain = deaf
    const asked = await requestAction(treasury, house, { amountBaseUnits: '20' })
    await vi.waitFor(() => expect(sent.length).toBeGreaterThan(1), 30_000)
    expect(outcome(await requestAction(treasury, house))).toBe('409 state_conflict')
    ctx.paymentChain = paymentChain
    const done = await untilAction(treasury, house, asked.body.id, 'confirmed')
    expect(new Set(sent).size).toBe(1)
    expect(await tokensOf(treasury, house.vault.address)).toBe(before + 20n)
    const mined = await treasury.chain.client.getTransaction({ hash: done.transactionHash })
    expect(mined.from).toBe(house.wallet.address.toLowerCase())
  })

  test('fails with nonce_taken when another transaction of the wallet took its nonce', async () => {
    const before = await tokensOf(treasury, house.vault.address)
    const { ctx } = treasury.service
    const { paymentChain } = ctx
    ctx.paymentChain = { ...paymentChain, send: async () => 'lost' }
    const asked = await requestAction(treasury, house, { amountBaseUnits: '30' })
    await vi.waitFor(async () => {
      const [action] = (await actionsOf(treasury, house, '?limit=1')).body
      expect(action.transactionHash).not.toBeNull()
    }, 30_000)
    await sendFrom(await keyOf(treasury, house.wallet))
    ctx.paymentChain = paymentChain
    const done = await untilAction(treasury, house, asked.body.id, 'failed')
    expect(done).toMatchObject({ failureCode: 'nonce_taken', reconciliationState: 'failed' })
    expect(await tokensOf(treasury, house.vault.address)).toBe(before)
  })

  test('is denied by the policy without a signature', async () => {
    const restore = replaceProvider(treasury, () => ({
      sign: async () => ({ outcome: 'denied', code: 'amount_not_allowed' }) as const,
    }))
    const asked = await requestAction(treasury, house, { amountBaseUnits: '40' })
    const done = await untilAction(treasury, house, asked.body.id, 'denied')
    restore()
    expect(done).toMatchObject({
      failureCode: 'amount_not_allowed',
      reconciliationState: 'denied',
      transactionHash: null,
    })
  })
})

/** The holder of the wallet's key sends nothing to themselves, which uses up the nonce. */
async function sendFrom(key: Hex): Promise<void> {
  const { rpcUrl } = treasury.chain
  const account = privateKeyToAccount(key)
  const wallet = createWalletClient({ account, transport: http(rpcUrl) })
  const maxFeePerGas = parseGwei('50')
  const hash = await wallet.sendTransaction({ chain: null, to: account.address, maxFeePerGas })
  expect(await treasury.chain.mined(hash)).toBe('success')
}

describe('rows changed by an attacker', () => {
  const widened = async (column: string, value: unknown, amount: string) => {
    const { id } = await controlOf(treasury, house)
    const [old] = (await tamper(`select ${column} as old from funding_controls where id = $1`, [
      id,
    ])) as { old: unknown }[]
    await tamper(`update funding_controls set ${column} = $2 where id = $1`, [id, value])
    try {
      const asked = await requestAction(treasury, house, { amountBaseUnits: amount })
      return await untilAction(treasury, house, asked.body.id, 'denied')
    } finally {
      await tamper(`update funding_controls set ${column} = $2 where id = $1`, [id, old?.old])
    }
  }

  test('do not widen what the signer may do', async () => {
    const approved = await allowAll(house)
    expect(approved).toBe('success')
    const more = await widened('max_amount', String(MAX * 100n), String(MAX + 1n))
    expect(more.failureCode).toBe('amount_not_allowed')
    const chain = await widened('chain_id', 1, '1')
    expect(chain.failureCode).toBe('chain_not_allowed')
    const gone = await widened('provider_reference', Buffer.alloc(150, 1), '1')
    expect(gone.failureCode).toBe('policy_unreadable')
  })

  test('do not give one control the policy of another', async () => {
    const other = await openFundingHouse(treasury)
    const { body } = await attachControl(treasury, other)
    const [box] = (await tamper(
      'select provider_reference as reference from funding_controls where id = $1',
      [body.id],
    )) as { reference: Buffer }[]
    const lent = await widened('provider_reference', box?.reference, '1')
    expect(lent.failureCode).toBe('policy_unreadable')
  })

  test('are detected when the policy is read back', async () => {
    const { id } = await controlOf(treasury, house)
    const before = await signerOf(treasury, house)
    expect(before.policyStatus).toBe('verified')
    await tamper('update funding_controls set max_amount = max_amount + 1 where id = $1', [id])
    await tamper('update funding_controls set wallet_allowance = null where id = $1', [id])
    const found = await attachControl(treasury, house)
    expect(found.body).toMatchObject({
      attachmentState: 'failed',
      failureCode: 'policy_rule_differs',
    })
  })
})

/** The wallet's owner approves more for the vault than the policy allows. */
async function allowAll({ vault, wallet }: FundingHouse) {
  const { rpcUrl, tokenAddress } = treasury.chain
  const account = privateKeyToAccount(await keyOf(treasury, wallet))
  const sender = createWalletClient({ account, transport: http(rpcUrl) })
  const data = encodeApproval({ spender: vault.address, amount: 10n ** 12n })
  return treasury.chain.mined(await sender.sendTransaction({ chain: null, to: tokenAddress, data }))
}

describe('a probe', () => {
  let tried: FundingHouse
  beforeAll(async () => {
    tried = await openFundingHouse(treasury)
    await readyToDeposit(treasury, tried)
  })
  const probe = () => requestAction(treasury, tried, { action: 'withdraw_probe' })

  test('that never reached the policy proves nothing and changes nothing', async () => {
    const restore = replaceProvider(treasury, () => ({
      probe: async () => ({ outcome: 'refused', code: 'invalid_credentials' }) as const,
    }))
    const { body } = await probe()
    const done = await untilAction(treasury, tried, body.id, 'failed')
    restore()
    expect(done.failureCode).toBe('invalid_credentials')
    expect((await controlOf(treasury, tried)).attachmentState).toBe('verified')
  })

  test('that is not denied fails the control, detaches the signer and alarms', async () => {
    const wallets = async () =>
      (await probeServices(treasury.service.ctx)).services.get('wallets')?.code
    expect(await wallets()).toBeNull()
    const detached: string[] = []
    const restore = replaceProvider(treasury, () => ({
      probe: async () => ({ outcome: 'passed' }) as const,
      detach: async ({ controlId }: { controlId: string }) => void detached.push(controlId),
    }))
    const { body } = await probe()
    const done = await untilAction(treasury, tried, body.id, 'failed')
    expect(done).toMatchObject({ failureCode: 'probe_not_denied', reconciliationState: 'failed' })
    const control = await controlOf(treasury, tried)
    const failed = { attachmentState: 'failed', failureCode: 'probe_not_denied' }
    expect(control).toMatchObject(failed)
    await vi.waitFor(() => expect(detached).toEqual([control.id]), 30_000)
    restore()
    expect(outcome(await requestAction(treasury, tried))).toBe('409 signer_not_ready')
    const events = await liveTrail(treasury.service.database, tried.id)
    expect(events).toContainEqual(
      expect.objectContaining({ aggregateId: control.id, severity: 'action_required' }),
    )
    expect(await wallets()).toBe('funding_signer_unconstrained')
  })
})
