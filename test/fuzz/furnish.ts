/** What no request creates: vaults, analyses and signatures, some on behalf of the owners. */
import { runAnalysis } from '#analysis/run-analysis.ts'
import { proveExports } from '#test/fuzz/exporting.ts'
import { attachSigner } from '#test/fuzz/funding.ts'
import { signChallenges } from '#test/fuzz/linking.ts'
import { fundTenant, sendSome, signPrepared } from '#test/fuzz/paying.ts'
import { hearOfEvents, loseReceivers } from '#test/fuzz/telling.ts'
import { remember, type Tenant, type World } from '#test/fuzz/world.ts'
import type { Person, TestApp } from '#test/support/app.ts'
import { writeExecutor, writePendingMember, writeVaults } from '#test/support/books.ts'
import { writeUnrecorded } from '#test/support/unrecorded-books.ts'

/** Neither a chain nor a worker runs here: vaults are written to the database, runs done inline. */
export async function furnish(service: TestApp, world: World): Promise<void> {
  const runs = world.tenants.flatMap(({ id: organizationId, runIds }) =>
    runIds.splice(0).map((runId) => ({ organizationId, runId })),
  )
  await Promise.all(runs.map((run) => runAnalysis(service.ctx, run)))
  for (const tenant of world.tenants) {
    if (runs.some((run) => run.organizationId === tenant.id)) {
      await reviewSome(service, world, tenant)
    }
  }
  const empty = world.tenants.filter(({ vaultIds }) => vaultIds.length === 0)
  for (const tenant of empty) {
    tenant.vaultIds = (await writeVaults(service, tenant.id, 12)).ids
    if (tenant.hasExecutor) await writeExecutor(service, tenant.id)
    await fundTenant(service, world, tenant)
    await leaveUnrecorded(service, tenant)
    for (let n = 0; n < 6; n += 1) {
      tenant.pendingMembershipIds.push(await writePendingMember(service, tenant))
    }
    await giveRoles(service, world, tenant)
  }
  if (runs.length > 0) await hearOfEvents(service, world)
  await loseReceivers(service, world)
  await proveExports(service, world)
  await signChallenges(world)
  for (const tenant of world.tenants) {
    await signPrepared(world, tenant)
    await sendSome(service, tenant)
  }
}

/** An owner can acknowledge each of them once. */
async function leaveUnrecorded(service: TestApp, tenant: Tenant): Promise<void> {
  const [vaultId = ''] = tenant.vaultIds
  for (let n = 0; n < 6; n += 1) {
    const { id } = await writeUnrecorded(service, { organizationId: tenant.id, vaultId })
    tenant.unrecordedPaymentIds.push(id)
  }
}

/** The owner's own wallet approves, if there is one, and a server wallet of theirs deposits. */
async function giveRoles(service: TestApp, world: World, tenant: Tenant): Promise<void> {
  const owner = tenant.members.at(-1)
  const walletId = owner?.walletIds[0]
  if (!owner || !walletId) return
  const path = `/v1/consumer/organizations/${tenant.id}`
  const { token } = owner
  const { body: listed } = await service.call('GET', `${path}/members`, { token })
  const own = listed.members?.find((member: Person) => member.accountId === owner.accountId)
  if (!own) return
  await attachSigner(service, tenant, own)
  const body = { membershipId: own.membershipId, walletId, role: 'approver' }
  const given = await service.call('POST', `${path}/wallet-roles`, { token, body })
  if (given.status === 201) remember(world, { operationId: 'assignWalletRole', tenant }, given)
}

/** The owner reviews what was analysed and advances most of it, which chance rarely does. */
async function reviewSome(service: TestApp, world: World, tenant: Tenant): Promise<void> {
  const owner = tenant.members.at(-1)
  if (!owner) return
  const { token } = owner
  const path = `/v1/consumer/organizations/${tenant.id}/expenses`
  const read = async () => {
    const listed = await service.call('GET', path, { token })
    if (listed.status === 200) remember(world, { operationId: 'listExpenses', tenant }, listed)
  }
  await read()
  for (const [n, { id, version, state }] of tenant.expenses.entries()) {
    if (state !== 'needs_review' || n % 4 === 0) continue
    const body = { expectedVersion: version, action: 'advance_to_approval', reason: 'As agreed' }
    await service.call('POST', `${path}/${id}/review`, { token, body })
  }
  await read()
}
