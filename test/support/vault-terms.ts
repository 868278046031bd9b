/** A vault with everything that can limit it or wait in it, written to the database. */
import { randomUUID } from 'node:crypto'

type Run = (text: string, values?: unknown[]) => Promise<unknown>

export const PROPOSAL_ID = `0x${'ab'.repeat(32)}`

/**
 * At most 900 base units a day, of which 90 automatically; two signatures above 500; paused; one
 * recipient that waits and one that is blocked; a policy that nobody prepared here waits.
 */
export async function writeVaultTerms(
  run: Run,
  { organizationId, vaultId }: { organizationId: string; vaultId: string },
): Promise<void> {
  const own = [organizationId, vaultId]
  await run(
    `update policies set period_seconds = 86400, period_cap = 900, automatic_period_cap = 90,
      tiers = '[{"above":"500","approvals":2}]' where organization_id = $1 and vault_id = $2`,
    own,
  )
  await run(
    `insert into vault_pauses (organization_id, vault_id, policy_version, block_number, log_index,
      paused, pause_number, transaction_hash)
     select organization_id, id, policy_version, 2, 0, true, 1, $3 from vaults
     where organization_id = $1 and id = $2`,
    [...own, PROPOSAL_ID],
  )
  const recipient = `insert into vault_recipients (organization_id, vault_id, address,
    allowed_from, blocked, recipients_version, transaction_hash, block_number)`
  await run(`${recipient} values ($1, $2, $3, '2999-01-01', false, 2, $4, 2)`, [
    ...own,
    `0x${'a1'.repeat(20)}`,
    PROPOSAL_ID,
  ])
  await run(`${recipient} values ($1, $2, $3, null, true, null, null, null)`, [
    ...own,
    `0x${'a2'.repeat(20)}`,
  ])
  const proposal = `insert into vault_proposals (organization_id, vault_id, id, proposal_id,
    expected_version, policy, pause_number, is_prepared, proposed_at, activates_at, expires_at,
    transaction_hash, block_number, log_index, state, ended_block, created_at, updated_at)
    values ($1, $2, $3, $4, 1, '{}', 0, false, '2026-11-17T10:00:00Z', '2026-11-18T10:00:00Z',
    '2026-11-25T10:00:00Z', $4, $5, 0, $6, $7, now(), now())`
  await run(proposal, [...own, randomUUID(), PROPOSAL_ID, 1, 'superseded', 2])
  await run(proposal, [...own, randomUUID(), PROPOSAL_ID, 2, 'waiting', null])
}
