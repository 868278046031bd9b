/** While no node is reachable, jobs retry at their usual interval and decide nothing. */
import { beforeAll, describe, expect, test } from 'vitest'
import { createViemChain } from '#adapters/chain/viem-chain.ts'
import type { Context } from '#context.ts'
import { watchExecutor } from '#executor/watch-executor.ts'
import { createOrganization, type TestApp } from '#test/support/app.ts'
import { writeExecutor } from '#test/support/books.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import { freshKey, liftOwnersRowSecurity, randomAddress } from '#test/support/steps.ts'
import { randomHash } from '#test/support/treasury.ts'
import { verifyVault } from '#treasury/register-vault.ts'
import { settleIntentJob } from '#treasury/settle-intent.ts'
import { insertVault } from '#treasury/vaults.store.ts'

let service: TestApp
let away: Context

beforeAll(async () => {
  service = await sharedTestApp()
  const chain = createViemChain({ ...service.ctx.config.chain, chainId: 31_337 })
  away = { ...service.ctx, chain }
  await liftOwnersRowSecurity(service.database)
})

/** Seconds until the job with this key is due. */
async function dueIn(key: string): Promise<number> {
  const [job] = await service.database.asOwner<{ seconds: number }>(
    `select extract(epoch from run_at - now())::float as seconds
     from graphile_worker._private_jobs where key = $1`,
    [key],
  )
  return job?.seconds ?? Number.NaN
}

describe('an unavailable chain', () => {
  test('leaves a deployment submitted, however old it is', async () => {
    const address = randomAddress()
    const owner = await service.signIn(undefined, [{ address, kind: 'external' }])
    const organization = await createOrganization(service, owner)
    const { path, id: organizationId, ownerMembershipId: membershipId } = organization
    const { token } = owner
    const role = { membershipId, walletId: owner.walletIds[0], role: 'treasury_owner' }
    await service.call('POST', `${path}/wallet-roles`, { token, body: role })
    const { body: intent } = await service.call('POST', `${path}/vault-deployments/prepare`, {
      token,
      body: { label: 'Main' },
      headers: freshKey(),
    })
    const url = `${path}/vault-deployments/${intent.id}/confirm`
    const body = { transactionHash: randomHash() }
    const confirmed = await service.call('POST', url, { token, body })
    expect([confirmed.status, confirmed.body.state]).toEqual([200, 'submitted'])
    await service.database.asOwner(
      `update vault_deployments set submitted_at = submitted_at - interval '2 days'`,
    )
    const job = { organizationId, intentId: intent.id, kind: 'vault_deployment' as const }
    await settleIntentJob(away, job)
    expect((await service.call('POST', url, { token, body })).body.state).toBe('submitted')
    expect(await dueIn(`settle_intent:${intent.id}`)).toBeLessThan(10)
  })

  test('does not disable a vault that awaits verification', async () => {
    const { ctx } = service
    const { id: organizationId } = await createOrganization(service)
    const vaultId = ctx.ids.next()
    await ctx.db.transaction({ organizationId }, (tx) =>
      insertVault(tx, {
        id: vaultId,
        organizationId,
        label: 'Main',
        createdByAccountId: null,
        chainId: 31_337,
        address: randomAddress(),
        tokenAddress: ctx.chain.tokenAddress,
        ownerAddress: randomAddress(),
        artifactHash: ctx.chain.artifactHash,
        deploymentTransactionHash: randomHash(),
        changeDelaySeconds: 0,
        state: 'pending',
        at: new Date('2020-01-01T00:00:00Z'),
      }),
    )
    await verifyVault(away, { organizationId, vaultId })
    const [row] = await service.database.asOwner('select state from vaults where id = $1', [
      vaultId,
    ])
    expect(row).toEqual({ state: 'pending' })
    expect(await dueIn(`verify_vault:${vaultId}`)).toBeLessThan(10)
  })

  test('keeps the last gas balance that was read', async () => {
    const { id: organizationId } = await createOrganization(service)
    await writeExecutor(service, organizationId)
    await watchExecutor(away, { organizationId })
    const [row] = await service.database.asOwner(
      'select balance_read_at from executor_bindings where organization_id = $1',
      [organizationId],
    )
    expect(row).toEqual({ balance_read_at: null })
    expect(await dueIn(`watch_executor:${organizationId}`)).toBeLessThan(35)
  })
})
