/** Attacks on a funding wallet by the owner of another organization or a database writer. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { watchControl } from '#funding/watch-control.ts'
import { probeServices } from '#health/probe-services.ts'
import { AppError } from '#platform/errors.ts'
import { oneTreasury, stopOneTreasury } from '#test/http/one-treasury.ts'
import { joinOrganization } from '#test/support/app.ts'
import { makeServerWallet } from '#test/support/exports.ts'
import {
  attachControl,
  controlOf,
  type FundingHouse,
  giveGas,
  openFundingHouse,
  readyToDeposit,
  replaceProvider,
  requestAction,
  signerOf,
  untilAction,
} from '#test/support/funding.ts'
import { outcome } from '#test/support/steps.ts'
import type { Treasury } from '#test/support/treasury.ts'
// With the same application and chain.
import '#test/http/funding.ts'

const MAX = 3_000n
let treasury: Treasury
let house: FundingHouse

beforeAll(async () => {
  treasury = await oneTreasury({ FUNDING_MAX_BASE_UNITS: String(MAX) })
  giveGas(treasury)
  house = await openFundingHouse(treasury)
  await readyToDeposit(treasury, house)
})
afterAll(stopOneTreasury)

const silence = async () => {
  throw new AppError('dependency_unavailable', { retryAfterSeconds: 1 })
}

/** Runs SQL as an attacker who controls the database and nothing else. */
const tamper = (statement: string, values: unknown[]) =>
  treasury.service.database.asOwner<Record<string, string>>(statement, values)

test("an owner cannot make a member's own wallet deposit, even through an old role", async () => {
  const { service } = treasury
  const thief = await openFundingHouse(treasury, { role: false, baseUnits: 0n })
  const victim = await joinOrganization(service, thief, { role: 'employee' })
  const wallet = await makeServerWallet(service, { realm: 'consumer', ...victim })
  const { token } = thief.owner
  const { body } = await service.call('GET', `${thief.path}/members`, { token })
  const { membershipId } = body.members.find(({ role }: { role: string }) => role === 'employee')
  const role = { membershipId, walletId: wallet.id, role: 'treasury_owner' }
  const given = await service.call('POST', `${thief.path}/wallet-roles`, { token, body: role })
  expect(outcome(given)).toBe('403 forbidden')
  await tamper(
    `insert into wallet_roles (id, organization_id, membership_id, account_id, wallet_id, role,
       state, created_at)
     select $4, $1, $2, account_id, id, 'treasury_owner', 'active', now()
      from wallets where id = $3`,
    [thief.id, membershipId, wallet.id, service.ctx.ids.next()],
  )
  expect(outcome(await attachControl(treasury, thief))).toBe('409 treasury_owner_required')
  expect((await signerOf(treasury, thief)).walletRoles).toEqual([])
})

describe('a row that an attacker widened before it was sealed', () => {
  const widest = '999999999999999999'

  test("is not sealed: the request uses the vault's and the configuration's values", async () => {
    const other = await openFundingHouse(treasury)
    const silent = replaceProvider(treasury, () => ({ attach: silence }))
    expect(outcome(await attachControl(treasury, other))).toBe('503 dependency_unavailable')
    silent()
    const pending = await controlOf(treasury, other)
    for (const [column, value] of [
      ['max_amount', widest],
      ['chain_id', '1'],
      ['vault_address', other.wallet.address.toLowerCase()],
      ['expires_at', '2999-01-01T00:00:00Z'],
    ]) {
      await tamper(
        `update funding_controls set state = 'pending', failure_code = null,
        ${column} = $2 where id = (select max(id::text)::uuid from funding_controls
        where organization_id = $1)`,
        [other.id, value],
      )
      const { body } = await attachControl(treasury, other)
      expect(body, column).toMatchObject({ attachmentState: 'verified' })
      expect(body.id).not.toBe(pending.id)
      expect(body.constraints).toEqual({ ...pending.constraints, expiresAt: body.expiresAt })
      expect(body.expiresAt < '2999').toBe(true)
    }
  })

  test('is refused by the signer, which enforces its own limits', async () => {
    const { fundingProvider } = treasury.service.ctx
    const { id, constraints, signerId, providerPolicyId } = await controlOf(treasury, house)
    const { chainId, vaultAddress, expiresAt } = constraints
    const rule = { chainId, vaultAddress: vaultAddress.toLowerCase(), maxAmount: MAX, expiresAt }
    const wallet = { walletId: house.wallet.id } as never
    const attach = (change: Partial<typeof rule>) =>
      fundingProvider?.attach({
        ...{ controlId: id, wallet, signerId, policyId: providerPolicyId },
        rule: { ...rule, ...change },
      })
    const refused = (code: string) => ({ outcome: 'refused', code })
    expect(await attach({})).toMatchObject({ outcome: 'attached' })
    expect(await attach({ maxAmount: MAX + 1n })).toEqual(refused('policy_amount_differs'))
    expect(await attach({ chainId: 1 })).toEqual(refused('policy_chain_differs'))
    const late = { expiresAt: '2999-01-01T00:00:00.000Z' }
    expect(await attach(late)).toEqual(refused('policy_expiry_differs'))
  })

  test('does not make the wallet approve a contract that is not our vault', async () => {
    const other = await openFundingHouse(treasury)
    const address = other.wallet.address.toLowerCase()
    await tamper('update vaults set address = $2 where organization_id = $1', [other.id, address])
    expect(outcome(await attachControl(treasury, other))).toBe('409 vault_unverified')
    expect(await controlOf(treasury, other)).toMatchObject({ attachmentState: 'pending' })
  })
})

describe('a working control', () => {
  test('survives a mistyped id and a silent provider', async () => {
    const { id } = await controlOf(treasury, house)
    const typo = await attachControl(treasury, house, { providerPolicyId: 'typo' })
    const failed = { attachmentState: 'failed', failureCode: 'policy_missing' }
    expect(typo).toMatchObject({ status: 200, body: failed })
    expect(typo.body.id).not.toBe(id)
    const silent = replaceProvider(treasury, () => ({ attach: silence }))
    const other = await attachControl(treasury, house, { signerId: 'another' })
    silent()
    expect(outcome(other)).toBe('503 dependency_unavailable')
    expect(await controlOf(treasury, house)).toMatchObject({ id, attachmentState: 'verified' })
    expect((await signerOf(treasury, house)).blockers).toEqual([])
    const asked = await requestAction(treasury, house, { amountBaseUnits: '7' })
    await untilAction(treasury, house, asked.body.id, 'confirmed')
  })

  test('is revoked in the same step that activates its replacement', async () => {
    const { id } = await controlOf(treasury, house)
    await tamper('update funding_controls set wallet_allowance = 1 where id = $1', [id])
    const next = await attachControl(treasury, house)
    expect(next.body).toMatchObject({ attachmentState: 'verified' })
    expect(next.body.id).not.toBe(id)
    const [old] = await tamper('select state from funding_controls where id = $1', [id])
    expect(old?.state).toBe('revoked')
  })

  test('is not reused after its approval was reverted', async () => {
    const other = await openFundingHouse(treasury)
    await readyToDeposit(treasury, other)
    const { id } = await controlOf(treasury, other)
    await tamper(`update funding_transactions set outcome = 'reverted' where control_id = $1`, [id])
    await tamper('update funding_controls set wallet_allowance = 0 where id = $1', [id])
    const { body } = await attachControl(treasury, other)
    expect(body).toMatchObject({ attachmentState: 'verified' })
    expect(body.id).not.toBe(id)
  })
})

describe('a probe', () => {
  let tried: FundingHouse
  beforeAll(async () => {
    tried = await openFundingHouse(treasury)
    await readyToDeposit(treasury, tried)
  })
  const probe = () => requestAction(treasury, tried, { action: 'withdraw_probe' })
  const alarm = async () =>
    (await probeServices(treasury.service.ctx)).services.get('wallets')?.code

  test('that is denied restores a signer that let an earlier one pass', async () => {
    const passing = replaceProvider(treasury, () => ({
      probe: async () => ({ outcome: 'passed' }) as const,
    }))
    await untilAction(treasury, tried, (await probe()).body.id, 'failed')
    passing()
    const { ctx } = treasury.service
    const unsure = replaceProvider(treasury, () => ({ probe: silence }))
    const { body } = await attachControl(treasury, tried)
    expect(body).toMatchObject({ attachmentState: 'attached', failureCode: 'probe_awaited' })
    expect(outcome(await requestAction(treasury, tried))).toBe('409 signer_not_ready')
    const again = await attachControl(treasury, tried)
    expect(again.body).toMatchObject({ id: body.id, failureCode: 'probe_awaited' })
    const { walletProvider } = ctx
    ctx.walletProvider = walletProvider && { ...walletProvider, check: silence }
    expect(await alarm()).toBe('funding_signer_unconstrained')
    ctx.walletProvider = walletProvider
    unsure()
    await vi.waitFor(
      async () =>
        expect(await controlOf(treasury, tried)).toMatchObject({
          ...{ id: body.id, attachmentState: 'verified', failureCode: null },
        }),
      20_000,
    )
    expect(await alarm()).toBeNull()
    await readyToDeposit(treasury, tried)
  })

  test('that passes under an ended control ends the control that now uses the signer', async () => {
    let pass = () => {}
    const passing = new Promise<void>((resolve) => {
      pass = resolve
    })
    const { id } = await controlOf(treasury, tried)
    const restore = replaceProvider(treasury, () => ({
      async probe({ controlId }: { controlId: string }) {
        if (controlId !== id) return { outcome: 'denied', code: 'function_not_allowed' } as const
        await passing
        return { outcome: 'passed' } as const
      },
    }))
    const { body } = await probe()
    await tamper('update funding_controls set wallet_allowance = 1 where id = $1', [id])
    const next = await attachControl(treasury, tried)
    expect(next.body).toMatchObject({ attachmentState: 'verified' })
    pass()
    await untilAction(treasury, tried, body.id, 'failed')
    restore()
    const ended = { id: next.body.id, failureCode: 'probe_not_denied' }
    expect(await controlOf(treasury, tried)).toMatchObject(ended)
  })
})

describe('monitoring of a control', () => {
  const heldBy = async (owner: FundingHouse) => ({
    organizationId: owner.id,
    controlId: (await controlOf(treasury, owner)).id as string,
  })

  test('ends it when its policy cannot be decrypted', async () => {
    const other = await openFundingHouse(treasury)
    const denied = async () => ({ outcome: 'denied', code: 'policy_unreadable' }) as const
    const restore = replaceProvider(treasury, () => ({ signApproval: denied }))
    await attachControl(treasury, other)
    restore()
    const held = await heldBy(other)
    const spoil = 'update funding_controls set provider_reference = $2 where id = $1'
    await tamper(spoil, [held.controlId, Buffer.alloc(150, 1)])
    await watchControl(treasury.service.ctx, held)
    const failed = { attachmentState: 'failed', failureCode: 'policy_missing' }
    expect(await controlOf(treasury, other)).toMatchObject(failed)
  })

  test('stops with the control, even if its provider is no longer configured', async () => {
    const { ctx } = treasury.service
    const held = await heldBy(house)
    const key = `watch_funding:${held.controlId}`
    const { fundingProvider } = ctx
    ctx.fundingProvider = undefined
    await tamper(`update funding_controls set state = 'revoked' where id = $1`, [held.controlId])
    await tamper('select graphile_worker.remove_job($1)', [key])
    await watchControl(ctx, held)
    ctx.fundingProvider = fundingProvider
    expect(await tamper('select key from graphile_worker.jobs where key = $1', [key])).toEqual([])
  })
})
