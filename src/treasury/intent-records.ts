/** Intents as the API returns them: amounts as strings, addresses checksummed. Pure. */
import { checksummed } from '@countersign/proof/values.ts'
import type { PreparedTransaction } from '#ports/chain.ts'
import type { DeploymentIntent, PolicyIntent, WithDisplayName } from './intents.store.ts'
import type { PolicyRow } from './policies.store.ts'
import { type LimitsRecord, toLimitsRecord } from './policy-limits.ts'
import { toVaultRecord, type VaultRecord } from './vault.ts'
import type { VaultRow } from './vaults.store.ts'

const toTransaction = (transaction: PreparedTransaction): PreparedTransaction => ({
  ...transaction,
  from: checksummed(transaction.from),
  to: transaction.to === null ? null : checksummed(transaction.to),
})

export type DeploymentRecord = Omit<
  DeploymentIntent,
  'vaultId' | 'submittedAt' | 'createdByAccountId'
> & { vault: VaultRecord | null }

export const toDeploymentRecord = (
  { vaultId: _vault, submittedAt: _at, createdByAccountId: _by, ...intent }: DeploymentIntent,
  vault: VaultRow | undefined,
): DeploymentRecord => ({
  ...intent,
  tokenAddress: checksummed(intent.tokenAddress),
  ownerAddress: checksummed(intent.ownerAddress),
  transaction: toTransaction(intent.transaction),
  vault: vault ? toVaultRecord(vault) : null,
})

type Preparation = {
  createdByAccountId: string
  displayName: string | null
  submittedAt: string | null
}

const preparationOf = (intent: Preparation): Preparation => ({
  createdByAccountId: intent.createdByAccountId,
  displayName: intent.displayName,
  submittedAt: intent.submittedAt,
})

export type ListedDeployment = DeploymentRecord & Preparation

export const toListedDeployment = (
  { displayName, ...intent }: WithDisplayName<DeploymentIntent>,
  vault: VaultRow | undefined,
): ListedDeployment => ({
  ...toDeploymentRecord(intent, vault),
  ...preparationOf({ ...intent, displayName }),
})

type Caps = 'approvedCap' | 'automaticCap' | 'lifetimeCap' | 'reserveFloor'

/** Columns of an intent that the API does not show as such; `changes` has the recipients. */
type Inner =
  | 'submittedAt'
  | 'createdByAccountId'
  | 'expectedVersion'
  | 'expectedRecipientsVersion'
  | 'recipientsAdded'
  | 'recipientsRemoved'
  | 'proposalRowId'

export type PolicyIntentRecord = Omit<PolicyIntent, Caps | keyof LimitsRecord | Inner> &
  Record<Caps, string> &
  LimitsRecord

const capsOf = (terms: Record<Caps, bigint>): Record<Caps, string> => ({
  approvedCap: terms.approvedCap.toString(),
  automaticCap: terms.automaticCap.toString(),
  lifetimeCap: terms.lifetimeCap.toString(),
  reserveFloor: terms.reserveFloor.toString(),
})

export const toPolicyIntentRecord = ({
  submittedAt: _at,
  createdByAccountId: _by,
  expectedVersion: _version,
  expectedRecipientsVersion: _recipientsVersion,
  recipientsAdded: _added,
  recipientsRemoved: _removed,
  proposalRowId: _proposal,
  ...intent
}: PolicyIntent): PolicyIntentRecord => ({
  ...intent,
  ...capsOf(intent),
  ...toLimitsRecord(intent),
  executorAddress: checksummed(intent.executorAddress),
  approverAddresses: intent.approverAddresses.map(checksummed),
  recipientAddresses: intent.recipientAddresses.map(checksummed),
  transaction: toTransaction(intent.transaction),
})

export type ListedPolicyIntent = PolicyIntentRecord & Preparation

export const toListedPolicyIntent = ({
  displayName,
  ...intent
}: WithDisplayName<PolicyIntent>): ListedPolicyIntent => ({
  ...toPolicyIntentRecord(intent),
  ...preparationOf({ ...intent, displayName }),
})

export type PolicyRecord = Record<Caps, string> &
  LimitsRecord & {
    id: string
    organizationId: string
    version: number
    executorAddress: string
    spentTotal: string
    expiresAt: string
    automaticEnabled: boolean
    paused: boolean
    chainTransactionHash: string
  }

export const toPolicyRecord = (policy: PolicyRow, vault: VaultRow): PolicyRecord => ({
  id: policy.id,
  organizationId: policy.organizationId,
  version: policy.version,
  executorAddress: checksummed(policy.executorAddress),
  ...capsOf(policy),
  ...toLimitsRecord(policy),
  spentTotal: vault.spentTotal.toString(),
  expiresAt: policy.expiresAt,
  automaticEnabled: policy.automaticEnabled,
  paused: policy.paused,
  chainTransactionHash: policy.chainTransactionHash,
})

export type VaultPolicyRecord = PolicyRecord & {
  approverAddresses: string[]
  recipientAddresses: string[]
}

export const toVaultPolicyRecord = (
  policy: PolicyRow,
  vault: VaultRow,
  recipientAddresses: readonly string[],
): VaultPolicyRecord => ({
  ...toPolicyRecord(policy, vault),
  approverAddresses: policy.approverAddresses.map(checksummed),
  recipientAddresses: recipientAddresses.map(checksummed),
})
