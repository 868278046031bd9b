/** Evidence of payments on a real chain, built here: honest, or forged. */
import { randomUUID } from 'node:crypto'
import { canonicalHash, chainPaymentIdOf } from '@countersign/proof/digest.ts'
import type { Evidence, EvidenceApproval } from '@countersign/proof/evidence.ts'
import { requiredApprovals } from '@countersign/proof/execution.ts'
import { type ApprovalContent, digestOf, typedDataOf } from '@countersign/proof/typed-data.ts'
import { checksummed, secondsToTimestamp } from '@countersign/proof/values.ts'
import { versionHashOf } from '@countersign/proof/version-hash.ts'
import type { Address, Hex } from 'viem'
import { encodePayment } from '#adapters/chain/vault-codec.ts'
import { decodeVaultEvent } from '#adapters/chain/vault-events.ts'
import type { TestWallet } from './chain.ts'
import { CHAIN_ID, type Payer, type PayingVault, sent } from './paying-vaults.ts'

const DEADLINE = 3_900_000_000

/** A claimed signer; its key signs. */
export type Signer = Pick<TestWallet, 'address' | 'account'>

export type Terms = {
  amount?: bigint
  recipient?: Address
  mode?: 'approved' | 'automatic'
  deadlineSeconds?: number
  /** As many of the payer's as the policy asks for by default. */
  approvers?: Signer[]
  /** Attachments, category, reference and due date; none by default. */
  details?: Pick<Evidence['revision'], 'attachments' | 'category' | 'reference' | 'dueDate'>
}

const contentOf = (
  payer: Payer,
  vault: PayingVault,
  { mode, amount, recipient }: Required<Pick<Terms, 'mode' | 'amount' | 'recipient'>>,
) => ({
  organizationId: randomUUID(),
  expenseId: randomUUID(),
  revision: 1,
  vaultId: randomUUID(),
  vaultAddress: vault.address.toLowerCase(),
  chainId: CHAIN_ID,
  tokenAddress: payer.chain.tokenAddress.toLowerCase(),
  recipientAddress: recipient.toLowerCase(),
  amount,
  requestedMode: mode,
  purpose: 'Invoice 17 of the printers',
})

async function signedBy(
  { address, account }: Signer,
  shared: Omit<ApprovalContent, 'approvalId' | 'approverAddress'>,
): Promise<EvidenceApproval> {
  const id = randomUUID()
  const content = { ...shared, approvalId: id, approverAddress: address.toLowerCase() }
  const digest = digestOf(content)
  return {
    id,
    approverAddress: checksummed(address),
    digest,
    signature: await account.sign({ hash: digest as Hex }),
    typedData: typedDataOf(content),
  }
}

/** Consistent with itself; whether the chain agrees is another matter. */
export async function evidenceFor(
  payer: Payer,
  vault: PayingVault,
  terms: Terms = {},
): Promise<Evidence> {
  const { mode = 'approved', amount = 700n, deadlineSeconds = DEADLINE } = terms
  const { recipient = payer.recipient, details = {} } = terms
  const { organizationHash, policyVersion } = vault
  const content = contentOf(payer, vault, { mode, amount, recipient })
  const { amount: _amount, ...shared } = content
  const attachments = (details.attachments ?? []).map(({ sha256 }) => sha256)
  const versionHash = versionHashOf({ ...content, ...details, attachments })
  const output = { riskScore: 0, recommendation: 'approve', checks: [] }
  const reportHash = canonicalHash(output)
  const paymentId = randomUUID()
  const chainPaymentId = chainPaymentIdOf({ chainId: CHAIN_ID, organizationHash, paymentId })
  const decided = { organizationHash, chainPaymentId, policyVersion, reportHash, deadlineSeconds }
  const needed = requiredApprovals(vault.policy.tiers, amount)
  const signers = terms.approvers ?? payer.approvers.slice(0, needed)
  const approvals = await Promise.all(
    (mode === 'approved' ? signers : []).map((signer) =>
      signedBy(signer, { ...content, ...decided, expenseVersionHash: versionHash }),
    ),
  )
  const asked = {
    vaultAddress: checksummed(vault.address),
    chainPaymentId,
    recipientAddress: checksummed(recipient),
    mode,
    amountBaseUnits: amount.toString(),
    policyVersion,
    reportHash,
    expenseVersionHash: versionHash,
    approvalDigests: approvals.map(({ digest }) => digest),
    approverAddresses: approvals.map(({ approverAddress }) => approverAddress),
  }
  return {
    version: 2,
    revision: { ...shared, ...details, amountBaseUnits: amount.toString(), versionHash },
    report: { id: randomUUID(), reportHash, output },
    policy: statedPolicy(vault),
    recipient: statedRecipient(vault),
    approval: approvals[0] ?? null,
    approvals,
    payment: {
      id: paymentId,
      organizationHash,
      chainPaymentId,
      mode,
      deadline: secondsToTimestamp(deadlineSeconds),
    },
    asked,
    event: null,
    matches: false,
  }
}

export const statedPolicy = (vault: PayingVault): NonNullable<Evidence['policy']> => {
  const { policy, proposal } = vault
  return {
    version: vault.policyVersion,
    executorAddress: checksummed(policy.executorAddress),
    approverAddresses: policy.approverAddresses.map(checksummed),
    approvedCap: policy.approvedCap.toString(),
    automaticCap: policy.automaticCap.toString(),
    lifetimeCap: policy.lifetimeCap.toString(),
    reserveFloor: policy.reserveFloor.toString(),
    periodSeconds: policy.periodSeconds,
    periodCap: policy.periodCap.toString(),
    automaticPeriodCap: policy.automaticPeriodCap.toString(),
    tiers: policy.tiers.map(({ above, approvals }) => ({ above: above.toString(), approvals })),
    expiresAt: secondsToTimestamp(policy.expiresAtSeconds),
    automaticEnabled: policy.automaticEnabled,
    chainTransactionHash: vault.policyTransactionHash,
    proposal: proposal && {
      id: proposal.id,
      transactionHash: proposal.transactionHash,
      activatesAt: secondsToTimestamp(proposal.activatesAtSeconds),
    },
  }
}

export const statedRecipient = ({ listing }: PayingVault): NonNullable<Evidence['recipient']> => ({
  recipientsVersion: listing.version,
  allowedFrom: secondsToTimestamp(listing.allowedFromSeconds),
  transactionHash: listing.transactionHash,
})

export type Place = { transactionHash: Hex; blockNumber: bigint; blockHash: Hex }

/** With the log that the bundle claims, in the given transaction. */
export const claimedIn = (evidence: Evidence, place: Place): Evidence => ({
  ...evidence,
  event: {
    ...evidence.asked,
    transactionHash: place.transactionHash,
    blockNumber: Number(place.blockNumber),
    blockHash: place.blockHash,
  },
  matches: true,
})

/** The executor's call. */
export const callOf = ({ asked, approvals, payment, revision }: Evidence): Hex =>
  encodePayment({
    vaultAddress: String(asked.vaultAddress),
    chainPaymentId: payment.chainPaymentId,
    recipientAddress: String(asked.recipientAddress),
    mode: payment.mode,
    amount: BigInt(revision.amountBaseUnits),
    policyVersion: Number(asked.policyVersion),
    reportHash: String(asked.reportHash),
    expenseVersionHash: String(asked.expenseVersionHash),
    approvalDigests: approvals.map(({ digest }) => digest),
    approverAddresses: approvals.map(({ approverAddress }) => approverAddress.toLowerCase()),
    deadlineSeconds: Math.floor(new Date(payment.deadline).getTime() / 1000),
    approvals: approvals.map(({ id, approverAddress, signature }) => ({
      approvalId: id,
      approverAddress: approverAddress.toLowerCase(),
      signature,
    })),
  }).data as Hex

/** Pays by the executor as the evidence states; the receipt must carry the vault's own log. */
export async function payFor(payer: Payer, evidence: Evidence): Promise<Evidence> {
  const to = String(evidence.asked.vaultAddress) as Address
  const receipt = await sent(payer, payer.executor, { to, data: callOf(evidence) })
  const isLogged = receipt.logs.some((log) => decodeVaultEvent(log)?.name === 'PaymentExecuted')
  if (!isLogged) throw new Error('The vault refused the payment')
  return claimedIn(evidence, receipt)
}

export const paid = async (payer: Payer, vault: PayingVault, terms: Terms = {}) =>
  payFor(payer, await evidenceFor(payer, vault, terms))
