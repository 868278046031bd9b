/** How operators see that vaults limit payments, and what waits in them. */
import { beforeAll, expect, test } from 'vitest'
import { type House, house } from '#test/security/house.ts'
import type { TestApp } from '#test/support/app.ts'
import { type Operator, signInOperator } from '#test/support/operators.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'
import { PROPOSAL_ID, writeVaultTerms } from '#test/support/vault-terms.ts'

let service: TestApp
let home: House
let operator: Operator
/** The one with a policy. */
let vaultId: string

beforeAll(async () => {
  service = await sharedTestApp()
  home = await house(service)
  operator = await signInOperator(service)
  await liftOwnersRowSecurity(service.database)
  vaultId = (await vaultsWhere('policy_version > 0'))[0] ?? ''
})

const run = (text: string, values: unknown[] = []) => service.database.asOwner(text, values)

const termsOf = async (vaultId: string) => {
  const { body } = await service.call('GET', `/v1/admin/organizations/${home.organization.id}`, {
    token: operator.token,
  })
  return body.vaultTerms.find((terms: { vaultId: string }) => terms.vaultId === vaultId)
}

const vaultsWhere = async (condition: string): Promise<string[]> => {
  const text = `select id from vaults where organization_id = $1 and ${condition}`
  return (await run(text, [home.organization.id])).map(({ id }) => String(id))
}

test('a vault without a policy has neither terms nor recipients', async () => {
  const ids = await vaultsWhere('policy_version = 0')
  expect(ids.length).toBeGreaterThan(0)
  for (const id of ids) {
    expect(await termsOf(id)).toEqual({
      vaultId: id,
      pauseNumber: 0,
      policy: null,
      recipientCount: 0,
      pendingRecipientCount: 0,
      blockedRecipientCount: 0,
      proposal: null,
    })
  }
})

test('says the same as the page of the vault that its members read', async () => {
  const { token } = home.organization.owner
  const path = `${home.organization.path}/vaults/${vaultId}`
  const { body: vault } = await service.call('GET', path, { token })
  const { version, paused, expiresAt, recipientAddresses } = vault.policy
  expect(await termsOf(vaultId)).toEqual({
    vaultId: vaultId,
    pauseNumber: vault.pauseNumber,
    policy: {
      version,
      paused,
      expiresAt,
      periodSeconds: null,
      periodCap: null,
      automaticPeriodCap: null,
      tiers: [],
    },
    recipientCount: recipientAddresses.length,
    pendingRecipientCount: 0,
    blockedRecipientCount: 0,
    proposal: null,
  })
})

test('counts recipients that wait or are blocked, and names all terms', async () => {
  const before = await termsOf(vaultId)
  await writeVaultTerms(run, { organizationId: home.organization.id, vaultId })
  expect(await termsOf(vaultId)).toEqual({
    ...before,
    policy: {
      ...before.policy,
      paused: true,
      periodSeconds: 86_400,
      periodCap: '900',
      automaticPeriodCap: '90',
      tiers: [{ above: '500', approvals: 2 }],
    },
    recipientCount: before.recipientCount + 1,
    pendingRecipientCount: 1,
    blockedRecipientCount: 1,
    proposal: {
      id: PROPOSAL_ID,
      proposedAt: '2026-11-17T10:00:00.000Z',
      activatesAt: '2026-11-18T10:00:00.000Z',
      expiresAt: '2026-11-25T10:00:00.000Z',
      prepared: false,
    },
  })
})
