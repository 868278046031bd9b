/** How operators see that vaults limit payments, and what waits in them. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type House, house } from '#test/security/house.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { type Operator, signInOperator } from '#test/support/operators.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'

let service: TestApp
let home: House
let operator: Operator
/** The one with a policy. */
let vaultId: string

beforeAll(async () => {
  service = await startTestApp()
  home = await house(service)
  operator = await signInOperator(service)
  await liftOwnersRowSecurity(service.database)
  vaultId = (await vaultsWhere('policy_version > 0'))[0] ?? ''
})
afterAll(() => service.stop())

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

const HASH = `0x${'ab'.repeat(32)}`

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

test('counts recipients that wait or are blocked, and names the period, tiers and proposal', async () => {
  const { id: organizationId } = home.organization
  const before = await termsOf(vaultId)
  await run(
    `insert into vault_pauses (organization_id, vault_id, policy_version, block_number, log_index,
      paused, pause_number, transaction_hash) values ($1, $2, $3, 2, 0, true, 1, $4)`,
    [organizationId, vaultId, before.policy.version, HASH],
  )
  await run(
    `update policies set period_seconds = 86400, period_cap = 900, automatic_period_cap = 90,
      tiers = '[{"above":"500","approvals":2}]' where organization_id = $1 and vault_id = $2`,
    [organizationId, vaultId],
  )
  const recipient = `insert into vault_recipients (organization_id, vault_id, address,
    allowed_from, blocked, recipients_version, transaction_hash, block_number)`
  await run(`${recipient} values ($1, $2, $3, '2999-01-01', false, 2, $4, 2)`, [
    ...[organizationId, vaultId, `0x${'a1'.repeat(20)}`, HASH],
  ])
  await run(`${recipient} values ($1, $2, $3, null, true, null, null, null)`, [
    ...[organizationId, vaultId, `0x${'a2'.repeat(20)}`],
  ])
  const waiting = `insert into vault_proposals (organization_id, id, vault_id, proposal_id,
    expected_version, policy, pause_number, is_prepared, proposed_at, activates_at, expires_at,
    transaction_hash, block_number, log_index, state, ended_block, created_at, updated_at)
    values ($1, $2, $3, $4, 1, '{}', 0, false, '2026-11-17T10:00:00Z', '2026-11-18T10:00:00Z',
    '2026-11-25T10:00:00Z', $4, $5, 0, $6, $7, now(), now())`
  const proposal = [organizationId, randomUUID(), vaultId, HASH]
  await run(waiting, [...proposal, 2, 'waiting', null])
  await run(waiting, [...[organizationId, randomUUID(), vaultId, HASH], 1, 'superseded', 2])
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
      id: HASH,
      proposedAt: '2026-11-17T10:00:00.000Z',
      activatesAt: '2026-11-18T10:00:00.000Z',
      expiresAt: '2026-11-25T10:00:00.000Z',
      prepared: false,
    },
  })
})
