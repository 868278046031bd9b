/** SQL for policies that wait before they take effect, as the vaults' logs report them. */
import type { ChainPolicy } from '@countersign/proof/execution.ts'
import sql from 'sql-template-tag'
import type { Reader, Tx } from '#platform/database/database.ts'
import type { ProposalState } from './proposal.machine.ts'
import {
  ACTIVATION_WINDOW_SECONDS,
  fromStoredPolicy,
  type StoredPolicy,
  toStoredPolicy,
} from './proposal.ts'

export type ProposalRow = {
  /** The row's id. The vault's own id may return when a policy is proposed again. */
  id: string
  organizationId: string
  vaultId: string
  proposalId: string
  expectedVersion: number
  policy: ChainPolicy
  /** The vault's newest pause when it was proposed. */
  pauseNumber: number
  isPrepared: boolean
  proposedAt: string
  activatesAt: string
  /** From then on it is void. */
  expiresAt: string
  transactionHash: string
  state: ProposalState
  endedBlock: number | null
  updatedAt: string
}

const columns = sql`
  id, organization_id as "organizationId", vault_id as "vaultId", proposal_id as "proposalId",
  expected_version as "expectedVersion", policy, pause_number as "pauseNumber",
  is_prepared as "isPrepared", proposed_at as "proposedAt", activates_at as "activatesAt",
  expires_at as "expiresAt", transaction_hash as "transactionHash", state,
  ended_block as "endedBlock", updated_at as "updatedAt"`

type StoredRow = Omit<ProposalRow, 'policy'> & { policy: StoredPolicy }
type VaultKey = { organizationId: string; vaultId: string }
type ProposalKey = { organizationId: string; id: string }

const toRow = (row: StoredRow): ProposalRow => ({ ...row, policy: fromStoredPolicy(row.policy) })

export type NewProposal = Pick<
  ProposalRow,
  | 'id'
  | 'organizationId'
  | 'vaultId'
  | 'proposalId'
  | 'expectedVersion'
  | 'policy'
  | 'isPrepared'
  | 'transactionHash'
> & {
  activatesAtSeconds: number
  blockNumber: number
  logIndex: number
  timeSeconds: number
  at: Date
}

export function insertProposal(tx: Tx, row: NewProposal): void {
  const { activatesAtSeconds } = row
  tx.write(sql`
    insert into vault_proposals (organization_id, id, vault_id, proposal_id, expected_version,
      policy, pause_number, is_prepared, proposed_at, activates_at, expires_at, transaction_hash,
      block_number, log_index, state, created_at, updated_at)
    select ${row.organizationId}, ${row.id}, v.id, ${row.proposalId}, ${row.expectedVersion},
      ${JSON.stringify(toStoredPolicy(row.policy))}::jsonb, v.pause_number, ${row.isPrepared},
      to_timestamp(${row.timeSeconds}), to_timestamp(${activatesAtSeconds}),
      to_timestamp(${activatesAtSeconds + ACTIVATION_WINDOW_SECONDS}), ${row.transactionHash},
      ${row.blockNumber}, ${row.logIndex}, 'waiting', ${row.at}, ${row.at}
    from vaults v where v.organization_id = ${row.organizationId} and v.id = ${row.vaultId}`)
}

/** A vault has at most one. */
export async function findWaitingProposal(
  tx: Tx,
  { organizationId, vaultId }: VaultKey,
): Promise<ProposalRow | undefined> {
  const [row] = await tx.query<StoredRow>(sql`
    select ${columns} from vault_proposals
    where organization_id = ${organizationId} and vault_id = ${vaultId} and state = 'waiting'`)
  return row && toRow(row)
}

export async function findProposal(
  tx: Tx,
  { organizationId, id }: ProposalKey,
): Promise<ProposalRow | undefined> {
  const [row] = await tx.query<StoredRow>(sql`
    select ${columns} from vault_proposals
    where organization_id = ${organizationId} and id = ${id}`)
  return row && toRow(row)
}

/** None while the history of its vault is read: a later part may have ended it. */
export async function lockProposal(
  tx: Tx,
  { organizationId, id }: ProposalKey,
): Promise<ProposalRow | undefined> {
  const [row] = await tx.query<StoredRow>(sql`
    select ${columns} from vault_proposals
    where organization_id = ${organizationId} and id = ${id} and not exists (
      select from vaults v join chain_watches w on w.address = v.address
      where v.organization_id = vault_proposals.organization_id
        and v.id = vault_proposals.vault_id and not w.caught_up)
    for update`)
  return row && toRow(row)
}

/** The proposal that a transaction logged. */
export async function findLoggedProposal(
  tx: Reader,
  log: VaultKey & { transactionHash: string; proposalId: string },
): Promise<ProposalRow | undefined> {
  const [row] = await tx.query<StoredRow>(sql`
    select ${columns} from vault_proposals
    where organization_id = ${log.organizationId} and vault_id = ${log.vaultId}
      and transaction_hash = ${log.transactionHash} and proposal_id = ${log.proposalId}
    order by log_index desc limit 1`)
  return row && toRow(row)
}

export type WaitingProposal = ProposalRow & {
  vaultLabel: string
  /** Why the service cannot activate it; null while it can. */
  activationCode: string | null
}

/** Newest first. */
export async function listWaitingProposals(
  tx: Tx,
  { organizationId, limit }: { organizationId: string; limit: number },
): Promise<WaitingProposal[]> {
  const rows = await tx.query<
    StoredRow & Pick<WaitingProposal, 'vaultLabel' | 'activationCode'>
  >(sql`
    select ${columns}, (
      select v.label from vaults v where v.organization_id = vault_proposals.organization_id
        and v.id = vault_proposals.vault_id) as "vaultLabel", (
      select a.code from policy_activations a
      where a.organization_id = vault_proposals.organization_id
        and a.id = vault_proposals.id) as "activationCode"
    from vault_proposals where organization_id = ${organizationId} and state = 'waiting'
    order by id desc limit ${limit}`)
  return rows.map((row) => ({ ...row, ...toRow(row) }))
}

export async function findActivationCode(
  tx: Tx,
  { organizationId, id }: ProposalKey,
): Promise<string | null> {
  const [row] = await tx.query<{ code: string | null }>(sql`
    select code from policy_activations
    where organization_id = ${organizationId} and id = ${id}`)
  return row?.code ?? null
}

export type ProposalMove = {
  proposal: Pick<ProposalRow, 'id' | 'organizationId' | 'state'>
  to: ProposalState
  endedBlock: number | null
  endedTransactionHash: string | null
  vetoedBy: string | null
  at: Date
}

/** Only `moveProposal` calls this. */
export async function updateProposalState(tx: Tx, move: ProposalMove): Promise<boolean> {
  const { organizationId, id, state } = move.proposal
  const rows = await tx.query(sql`
    update vault_proposals set state = ${move.to}, ended_block = ${move.endedBlock},
      ended_transaction_hash = ${move.endedTransactionHash}, vetoed_by = ${move.vetoedBy},
      updated_at = ${move.at}
    where organization_id = ${organizationId} and id = ${id} and state = ${state}
    returning id`)
  return rows.length > 0
}

/** After their intents are unlinked. */
export function deleteProposalsAbove(
  tx: Tx,
  { organizationId, vaultId, blockNumber }: VaultKey & { blockNumber: number },
): void {
  tx.write(sql`
    delete from vault_proposals where organization_id = ${organizationId}
      and vault_id = ${vaultId} and block_number > ${blockNumber}`)
}

/** Those whose end is above the block. */
export async function listEndedAbove(
  tx: Tx,
  { organizationId, vaultId, blockNumber }: VaultKey & { blockNumber: number },
): Promise<ProposalRow[]> {
  const rows = await tx.query<StoredRow>(sql`
    select ${columns} from vault_proposals where organization_id = ${organizationId}
      and vault_id = ${vaultId} and ended_block > ${blockNumber} order by block_number for update`)
  return rows.map(toRow)
}
