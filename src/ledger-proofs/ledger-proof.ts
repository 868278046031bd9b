/** The proof as the API returns it. Pure. */
import type { ProofState } from './ledger-proof.machine.ts'
import type { ProofRow } from './ledger-proofs.store.ts'

export type ProofRecord = {
  id: string
  organizationId: string
  accountId: string
  provider: 'ledger'
  intentHash: string
  intentJson: string
  state: ProofState
  claimedByAccountId?: string
  transactionHash?: string
  errorCode?: string
  evidenceJson?: string
}

/** The digest of an approval is not a transaction hash, so it appears only in the evidence. */
export const toProofRecord = (proof: ProofRow): ProofRecord => {
  const { id, organizationId, accountId, provider, intentHash, intentJson, state } = proof
  const { kind, claimedByAccountId, givenHash, errorCode, evidenceJson } = proof
  return {
    id,
    organizationId,
    accountId,
    provider,
    intentHash,
    intentJson,
    state,
    ...(claimedByAccountId === null ? {} : { claimedByAccountId }),
    ...(givenHash === null || kind === 'approval' ? {} : { transactionHash: givenHash }),
    ...(errorCode === null ? {} : { errorCode }),
    ...(evidenceJson === null ? {} : { evidenceJson }),
  }
}
