/** A policy that waits until it comes into force. */
import type { DataOf } from '@countersign/client/operation-types.ts'
import type { PolicyChanges } from './policy-difference.ts'
import type { Policy } from './policy-terms.ts'

type Vault = DataOf<'getVault'>

export type Proposal = {
  id: string
  expectedVersion: number
  proposedAt: string
  activatesAt: string
  expiresAt: string
  transactionHash: string
  /** Whether it was prepared here. */
  prepared: boolean
  policy: Omit<Policy, 'recipientAddresses'>
  changes: PolicyChanges
}

export const proposalIn = (vault: Vault): Proposal | null =>
  'proposal' in vault ? (vault.proposal as Proposal | null) : null
