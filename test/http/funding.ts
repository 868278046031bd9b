import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { oneTreasury } from '#test/http/one-treasury.ts'
import { joinOrganization } from '#test/support/app.ts'
import {
  actionOf,
  actionsOf,
  attachControl,
  controlOf,
  type FundingHouse,
  GAS_WEI,
  giveGas,
  openFundingHouse,
  readyToDeposit,
  replaceProvider,
  requestAction,
  signerOf,
  tokensOf,
  untilAction,
} from '#test/support/funding.ts'
import { auditTrail, outcome, times } from '#test/support/steps.ts'
import type { Treasury } from '#test/support/treasury.ts'

const MAX = 3_000n
let treasury: Treasury
/** A house that is ready to deposit. */
let house: FundingHouse

beforeAll(async () => {
  treasury = await oneTreasury({ FUNDING_MAX_BASE_UNITS: String(MAX) })
  giveGas(treasury)
  house = await openFundingHouse(treasury)
})

/** Locks the control until it is released. */
async function holdControl() {
  const { database } = treasury.service
  const { id } = await controlOf(treasury, house)
  const client = new pg.Client(database.url)
  await client.connect()
  await client.query('begin')
  await client.query('select from funding_controls where id = $1 for no key update', [id])
  const untilWaiting = (count: number) =>
    vi.waitFor(async () => {
      const waiting = await database.asOwner(
        `select from pg_stat_activity where datname = current_database()
         and application_name = 'countersign' and wait_event_type = 'Lock'`,
      )
      expect(waiting.length).toBeGreaterThanOrEqual(count)
    }, 4_500)
  return { untilWaiting, letGo: () => client.end() }
}

describe('before anything is attached', () => {
  test('returns the ids, the rule and the blockers as status', async () => {
    const status = await signerOf(treasury, house)
    expect(status).toMatchObject({
      enabled: true,
      signerId: 'countersign-keystore',
      policyId: `deposit-into-${house.vault.address.toLowerCase()}`,
      chainId: 31_337,
      vaultAddress: house.vault.address,
      allowedFunction: 'deposit(uint256)',
      maxAmountBaseUnits: String(MAX),
      nativeValue: '0',
      expiresAt: null,
      signerStatus: 'not_attached',
      policyStatus: 'unavailable',
      evidenceStatus: 'live-unproven',
      blockers: ['control_missing'],
    })
    const { id: walletId, address } = house.wallet
    expect(status.walletRoles).toEqual([
      { id: expect.any(String), walletId, address, role: 'treasury_owner', active: true },
    ])
  })

  test('returns no control and refuses deposits and probes', async () => {
    expect(await controlOf(treasury, house)).toBeNull()
    expect(outcome(await requestAction(treasury, house))).toBe('409 signer_not_ready')
    const probe = { action: 'withdraw_probe' }
    expect(outcome(await requestAction(treasury, house, probe))).toBe('409 signer_not_ready')
    expect((await actionsOf(treasury, house)).body).toEqual([])
  })
})

describe('a control', () => {
  test('fails with the reason for ids that the provider does not know', async () => {
    const other = await attachControl(treasury, house, { signerId: 'somebody-else' })
    expect(other.body).toMatchObject({ attachmentState: 'failed', failureCode: 'signer_missing' })
    const policy = await attachControl(treasury, house, { providerPolicyId: 'anything-goes' })
    expect(policy.body).toMatchObject({ attachmentState: 'failed', failureCode: 'policy_missing' })
    const { blockers, signerStatus, policyStatus } = await signerOf(treasury, house)
    expect([signerStatus, policyStatus]).toEqual(['not_attached', 'invalid'])
    expect(blockers).toContain('control_unverified')
    expect(outcome(await requestAction(treasury, house))).toBe('409 signer_not_ready')
  })

  test('is verified after read-back, approved and given gas', async () => {
    const { status, body } = await attachControl(treasury, house)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      organizationId: house.id,
      vaultId: house.vault.id,
      attachmentState: 'verified',
      constraints: {
        chainId: 31_337,
        vaultAddress: house.vault.address,
        allowedFunction: 'deposit(uint256)',
        maxAmountBaseUnits: String(MAX),
        nativeValue: '0',
        expiresAt: body.expiresAt,
      },
      readbackAt: expect.any(String),
      failureCode: null,
    })
    expect(await controlOf(treasury, house)).toEqual(body)
    await readyToDeposit(treasury, house)
    expect(await signerOf(treasury, house)).toMatchObject({
      signerStatus: 'attached',
      policyStatus: 'verified',
      expiresAt: body.expiresAt,
    })
  })

  test('is the same when requested again', async () => {
    const first = await controlOf(treasury, house)
    const again = await attachControl(treasury, house)
    expect(again.body).toMatchObject({ id: first.id, attachmentState: 'verified' })
  })
})

describe('a deposit', () => {
  test("is requested, sent and confirmed, with the vault's balances", async () => {
    const before = await tokensOf(treasury, house.vault.address)
    const asked = await requestAction(treasury, house, { amountBaseUnits: '1200' })
    expect(asked.status).toBe(202)
    expect(asked.body).toMatchObject({ state: 'requested', reconciliationState: 'pending' })
    const done = await untilAction(treasury, house, asked.body.id, 'confirmed')
    expect(done).toMatchObject({
      vaultId: house.vault.id,
      action: 'deposit',
      amountBaseUnits: '1200',
      reconciliationState: 'confirmed',
      failureCode: null,
      balanceBeforeBaseUnits: before.toString(),
      balanceAfterBaseUnits: (before + 1200n).toString(),
    })
    expect(await tokensOf(treasury, house.vault.address)).toBe(before + 1200n)
    const receipt = await treasury.chain.client.getTransactionReceipt({
      hash: done.transactionHash,
    })
    expect(receipt.from).toBe(house.wallet.address.toLowerCase())
    const trail = await auditTrail(treasury.service.database, house.id)
    const own = trail.filter(({ aggregateId }) => aggregateId === done.id)
    expect(own.map(({ action }) => action)).toEqual([
      'funding_action.requested',
      'funding_action.broadcast',
      'funding_action.confirmed',
    ])
  })

  test('is replayed for the same key, and 409 for another body', async () => {
    const before = await tokensOf(treasury, house.vault.address)
    const body = { amountBaseUnits: '100', idempotencyKey: randomUUID() }
    const { letGo, untilWaiting } = await holdControl()
    const asked = times(4, () => requestAction(treasury, house, body))
    await untilWaiting(asked.length)
    await letGo()
    const answers = await Promise.all(asked)
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202])
    const [first = expect.fail('no answer')] = answers
    expect(new Set(answers.map(({ body: { id } }) => id)).size).toBe(1)
    await untilAction(treasury, house, first.body.id, 'confirmed')
    const upper = { ...body, idempotencyKey: body.idempotencyKey.toUpperCase() }
    const again = await requestAction(treasury, house, upper)
    expect([again.status, again.text]).toEqual([202, first.text])
    expect(again.headers['idempotent-replayed']).toBe('true')
    const other = await requestAction(treasury, house, { ...body, amountBaseUnits: '101' })
    expect(outcome(other)).toBe('409 idempotency_key_reused')
    expect(await tokensOf(treasury, house.vault.address)).toBe(before + 100n)
  })

  test('waits unsigned while the wallet cannot cover its maximum gas cost', async () => {
    const { address } = house.wallet
    const give = (wei: bigint) =>
      treasury.chain.request('hardhat_setBalance', address, `0x${wei.toString(16)}`)
    let isAsked = false
    const restore = replaceProvider(treasury, () => ({
      fundGas: async () => {
        isAsked = true
      },
    }))
    await give(1_000n)
    const { body } = await requestAction(treasury, house, { amountBaseUnits: '1' })
    await vi.waitFor(() => expect(isAsked).toBe(true), 30_000)
    const open = { state: 'requested', transactionHash: null }
    expect(await actionOf(treasury, house, body.id)).toMatchObject(open)
    await give(GAS_WEI)
    await untilAction(treasury, house, body.id, 'confirmed')
    restore()
  })

  test.each([
    ['0', '400 validation_failed'],
    ['-1', '400 validation_failed'],
    ['01', '400 validation_failed'],
    [String(2n ** 256n), '400 validation_failed'],
    ['9'.repeat(80), '400 validation_failed'],
    [String(MAX + 1n), '409 policy_violation'],
    // The approval was for the maximum, of which 1301 is used.
    [String(MAX), '409 signer_not_ready'],
  ])('of %s is refused and creates no action', async (amountBaseUnits, refusal) => {
    const before = (await actionsOf(treasury, house)).body.length
    expect(outcome(await requestAction(treasury, house, { amountBaseUnits }))).toBe(refusal)
    expect((await actionsOf(treasury, house)).body).toHaveLength(before)
  })
})

describe('a probe', () => {
  test('that is denied is the evidence and leaves no trace on the chain', async () => {
    const nonce = () =>
      treasury.chain.client.getTransactionCount({ address: house.wallet.address as `0x${string}` })
    const before = await nonce()
    const asked = await requestAction(treasury, house, {
      action: 'withdraw_probe',
      amountBaseUnits: '1',
    })
    expect(asked.status).toBe(202)
    const done = await untilAction(treasury, house, asked.body.id, 'denied')
    expect(done).toMatchObject({
      reconciliationState: 'denied',
      failureCode: null,
      transactionHash: null,
      broadcastAt: null,
    })
    expect(await nonce()).toBe(before)
    const trail = await auditTrail(treasury.service.database, house.id)
    const [denied] = trail.filter(({ action }) => action === 'funding_action.denied')
    expect(denied?.data).toMatchObject({ deniedAs: 'function_not_allowed' })
    expect((await controlOf(treasury, house)).attachmentState).toBe('verified')
  })
})

describe('a used control', () => {
  test('is attached again with the full approval, and the old one is revoked', async () => {
    const used = await controlOf(treasury, house)
    await vi.waitFor(async () => {
      const [row] = await treasury.service.database.asOwner<{ left: string }>(
        'select wallet_allowance::text as left from funding_controls where id = $1',
        [used.id],
      )
      expect(row?.left).toBe(String(MAX - 1301n))
    }, 10_000)
    const renewed = await attachControl(treasury, house)
    expect(renewed.body).toMatchObject({ attachmentState: 'verified' })
    expect(renewed.body.id).not.toBe(used.id)
    await readyToDeposit(treasury, house)
    const asked = await requestAction(treasury, house, { amountBaseUnits: String(MAX) })
    await untilAction(treasury, house, asked.body.id, 'confirmed')
    const states = await treasury.service.database.asOwner<{ state: string }>(
      'select state from funding_controls where organization_id = $1 order by id',
      [house.id],
    )
    expect(states.map(({ state }) => state)).toEqual(['failed', 'failed', 'revoked', 'verified'])
  })
})

describe('reading', () => {
  test('lists actions newest first, with a Link header to the next page', async () => {
    const all = (await actionsOf(treasury, house)).body
    expect(all.length).toBeGreaterThan(2)
    const page = await actionsOf(treasury, house, '?limit=2')
    expect(page.body).toEqual(all.slice(0, 2))
    const next = /^<([^>]+)>; rel="next"$/.exec(String(page.headers.link))?.[1] ?? ''
    const rest = await treasury.service.call('GET', next, { token: house.owner.token })
    expect(rest.body).toEqual(all.slice(2, 4))
    expect((await actionsOf(treasury, house)).headers.link).toBeUndefined()
  })

  test('is open to managers, who may request nothing, and closed to others', async () => {
    const manager = await joinOrganization(treasury.service, house, { role: 'manager' })
    const employee = await joinOrganization(treasury.service, house, { role: 'employee' })
    const { token } = manager
    expect(await signerOf(treasury, house, { token })).toMatchObject({ enabled: true })
    expect(outcome(await requestAction(treasury, house, {}, { token }))).toBe('403 role_required')
    const { path } = house
    for (const url of ['provider-signer', 'provider-funding-actions']) {
      const seen = await treasury.service.call('GET', `${path}/${url}`, { token: employee.token })
      expect(outcome(seen)).toBe('403 role_required')
    }
    expect(await actionOf(treasury, house, randomUUID())).toMatchObject({
      error: { code: 'not_found' },
    })
  })
})
