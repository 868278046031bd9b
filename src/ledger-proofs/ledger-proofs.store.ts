/** SQL for ledger signature proofs. */
import sql from 'sql-template-tag'
import type { Reader, Tx } from '#platform/database/database.ts'
import type { Page } from '#platform/paging.ts'
import type { ProofState } from './ledger-proof.machine.ts'
import type { ProofKind } from './proof-intent.ts'

export type ProofRow = {
  id: string
  organizationId: string
  accountId: string
  kind: ProofKind
  provider: 'ledger'
  intentHash: string
  intentJson: string
  state: ProofState
  claimedByAccountId: string | null
  givenHash: string | null
  errorCode: string | null
  evidenceJson: string | null
  createdAt: string
  updatedAt: string
}

const columns = sql`
  id, organization_id as "organizationId", account_id as "accountId", kind, provider,
  intent_hash as "intentHash", intent_json as "intentJson", state,
  claimed_by_account_id as "claimedByAccountId", given_hash as "givenHash",
  error_code as "errorCode", evidence_json as "evidenceJson", created_at as "createdAt",
  updated_at as "updatedAt"`

export type ProofKey = { organizationId: string; proofId: string }

type NewProof = Pick<
  ProofRow,
  'id' | 'organizationId' | 'accountId' | 'kind' | 'intentHash' | 'intentJson'
> & { at: Date }

const present = (row: ProofRow | undefined): ProofRow => {
  if (!row) throw new Error('The proof was not written')
  return row
}

export async function insertProof(tx: Tx, row: NewProof): Promise<ProofRow> {
  const [inserted] = await tx.query<ProofRow>(sql`
    insert into ledger_proofs (id, organization_id, account_id, kind, provider, intent_hash,
      intent_json, state, created_at, updated_at)
    values (${row.id}, ${row.organizationId}, ${row.accountId}, ${row.kind}, 'ledger',
      ${row.intentHash}, ${row.intentJson}, 'prepared', ${row.at}, ${row.at})
    returning ${columns}`)
  return present(inserted)
}

export async function findProof(
  tx: Reader,
  { organizationId, proofId }: ProofKey,
): Promise<ProofRow | undefined> {
  const [row] = await tx.query<ProofRow>(sql`
    select ${columns} from ledger_proofs
    where organization_id = ${organizationId} and id = ${proofId}`)
  return row
}

/** Newest first, and one more than the limit. */
export const listProofs = (
  tx: Reader,
  { organizationId, page }: { organizationId: string; page: Page },
): Promise<ProofRow[]> =>
  tx.query<ProofRow>(sql`
    select ${columns} from ledger_proofs
    where organization_id = ${organizationId} and id < ${page.beforeId}
    order by id desc limit ${page.limit + 1}`)

export async function lockProof(
  tx: Tx,
  { organizationId, proofId }: ProofKey,
): Promise<ProofRow | undefined> {
  const [row] = await tx.query<ProofRow>(sql`
    select ${columns} from ledger_proofs
    where organization_id = ${organizationId} and id = ${proofId} for update`)
  return row
}

export async function updateProofState(
  tx: Tx,
  move: {
    proof: ProofRow
    to: ProofState
    claimedByAccountId: string | null
    givenHash: string | null
    errorCode: string | null
    evidenceJson: string | null
    at: Date
  },
): Promise<ProofRow> {
  const { proof } = move
  const [row] = await tx.query<ProofRow>(sql`
    update ledger_proofs set state = ${move.to},
      claimed_by_account_id = ${move.claimedByAccountId}, given_hash = ${move.givenHash},
      error_code = ${move.errorCode}, evidence_json = ${move.evidenceJson},
      updated_at = ${move.at}
    where organization_id = ${proof.organizationId} and id = ${proof.id}
      and state = ${proof.state}
    returning ${columns}`)
  return present(row)
}

/** Stores what was observed without deciding: the proof stays claimed. */
export async function updateProofObservation(
  tx: Tx,
  observed: { proof: ProofRow; givenHash: string; evidenceJson: string; at: Date },
): Promise<ProofRow> {
  const { proof } = observed
  const [row] = await tx.query<ProofRow>(sql`
    update ledger_proofs set given_hash = ${observed.givenHash},
      evidence_json = ${observed.evidenceJson}, updated_at = ${observed.at}
    where organization_id = ${proof.organizationId} and id = ${proof.id}
      and state = ${proof.state}
    returning ${columns}`)
  return present(row)
}
