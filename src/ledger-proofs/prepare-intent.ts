/** Builds the intent of each kind from the organization's stored data, without external calls. */
import { organizationHash } from '@countersign/proof/digest.ts'
import { digestOf, typedDataOf } from '@countersign/proof/typed-data.ts'
import { secondsToTimestamp, timestampToSeconds } from '@countersign/proof/values.ts'
import type { Context } from '#context.ts'
import { findOrganizationSalt, listWalletAddressesWithRole } from '#organizations/members.store.ts'
import { findPayment } from '#payments/payments.store.ts'
import { addSeconds } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import { findPolicy } from '#treasury/policies.store.ts'
import {
  type PolicyTerms,
  requireConsistent,
  requirePossible,
  requireUnexpired,
} from '#treasury/policy.ts'
import { NO_LIMITS } from '#treasury/policy-limits.ts'
import { findVaultRecipient } from '#treasury/vault-recipients.store.ts'
import { findOwnVaultByAddress, findVault, type VaultRow } from '#treasury/vaults.store.ts'
import { listServerWalletsAmong } from '#wallets/wallets.store.ts'
import { given, invalid, type ProofIntent, type ProofRequest } from './proof-intent.ts'

export type IntentContext = Pick<Context, 'chain' | 'clock'>

export type PrepareIntent = { organizationId: string; proofId: string; request: ProofRequest }

/** One USDC: easy to recognise on a small screen, and a small loss on a test chain. */
const FUNDING_BASE_UNITS = 1_000_000n

/** Terms for a vault without a policy: the smallest that the contract accepts, and paused. */
const FIRST_CAP = 1_000_000n
const POLICY_SECONDS = 30 * 24 * 60 * 60

export async function prepareIntent(
  ctx: IntentContext,
  tx: Tx,
  input: PrepareIntent,
): Promise<ProofIntent> {
  const { organizationId, request } = input
  const { kind, signer, owner } = request
  const head = { version: 1, kind, organizationId, signer, owner } as const
  switch (kind) {
    case 'deployment':
      return { ...head, transaction: await deployment(ctx, tx, input) }
    case 'funding':
      return { ...head, transaction: await funding(ctx, tx, input) }
    case 'configure':
      return { ...head, transaction: await configuration(ctx, tx, input) }
    case 'approval':
      return { ...head, ...(await approval(tx, input)) }
  }
}

const hashOf = async (tx: Tx, organizationId: string) =>
  organizationHash({ organizationId, salt: await findOrganizationSalt(tx, organizationId) })

/** Any sender works: the vault belongs to the owner in its constructor. */
async function deployment({ chain }: IntentContext, tx: Tx, input: PrepareIntent) {
  const { organizationId, request } = input
  const { transaction } = chain.deployment({
    ownerAddress: request.owner,
    organizationHash: await hashOf(tx, organizationId),
    changeDelaySeconds: 0,
  })
  return { ...transaction, from: request.signer }
}

async function funding(ctx: IntentContext, tx: Tx, input: PrepareIntent) {
  const { address: vaultAddress } = await requireVault(ctx, tx, input)
  const { signer: from } = input.request
  return ctx.chain.deposit({ vaultAddress, from, amount: FUNDING_BASE_UNITS })
}

async function configuration(ctx: IntentContext, tx: Tx, input: PrepareIntent) {
  const vault = await requireVault(ctx, tx, input)
  const { expiresAt, ...rest } = await termsOf(ctx, tx, { vault, request: input.request })
  const address = given(input.request, 'recipient')
  const { organizationId, id: vaultId, recipientsVersion: expectedRecipientsVersion } = vault
  const standing = await findVaultRecipient(tx, { organizationId, vaultId, address })
  const isListed = (standing?.allowedFrom ?? null) !== null
  return ctx.chain.policyConfiguration({
    vaultAddress: vault.address,
    ownerAddress: vault.ownerAddress,
    expectedVersion: vault.policyVersion,
    policy: { ...rest, expiresAtSeconds: timestampToSeconds(expiresAt) },
    recipients: isListed ? null : { expectedRecipientsVersion, add: [address], remove: [] },
  })
}

/** An active vault of the organization whose owner the caller names correctly. */
async function requireVault(
  { chain }: IntentContext,
  tx: Tx,
  { organizationId, request }: PrepareIntent,
): Promise<VaultRow> {
  const at = { organizationId, chainId: chain.chainId, address: given(request, 'vault') }
  const vault = await findOwnVaultByAddress(tx, at)
  if (vault?.state !== 'verified' || vault.archivedAt !== null) throw new AppError('not_found')
  requireOwner(vault, request)
  return vault
}

function requireOwner({ ownerAddress }: VaultRow, { owner }: ProofRequest): void {
  if (ownerAddress !== owner) throw invalid('`owner` must be the owner of that vault.')
}

/** The policy in force with another executor and one more recipient. */
async function termsOf(
  { clock }: IntentContext,
  tx: Tx,
  { vault, request }: { vault: VaultRow; request: ProofRequest },
): Promise<PolicyTerms> {
  const { organizationId, id: vaultId, policyVersion: version } = vault
  const [executorAddress, recipient] = [given(request, 'executor'), given(request, 'recipient')]
  const now = clock.now()
  const inForce = await findPolicy(tx, { organizationId, vaultId, version })
  const base = inForce ?? (await firstTerms(tx, vault))
  const isOver = base.expiresAt <= now.toISOString()
  const end = isOver ? addSeconds(now, POLICY_SECONDS).toISOString() : base.expiresAt
  const terms: PolicyTerms = {
    executorAddress,
    approverAddresses: base.approverAddresses,
    approvedCap: base.approvedCap,
    automaticCap: base.automaticCap,
    lifetimeCap: base.lifetimeCap,
    reserveFloor: base.reserveFloor,
    periodSeconds: base.periodSeconds,
    periodCap: base.periodCap,
    automaticPeriodCap: base.automaticPeriodCap,
    tiers: base.tiers,
    expiresAt: secondsToTimestamp(timestampToSeconds(end)),
    automaticEnabled: base.automaticEnabled,
    paused: base.paused,
  }
  requireConsistent(terms)
  requireUnexpired(terms, now)
  requireAcceptable({ ...terms, recipientAddresses: [recipient] }, vault)
  return terms
}

async function firstTerms(
  tx: Tx,
  { organizationId, ownerAddress, spentTotal }: VaultRow,
): Promise<Omit<PolicyTerms, 'executorAddress'>> {
  const listed = await listWalletAddressesWithRole(tx, { organizationId, role: 'approver' })
  const servers = await listServerWalletsAmong(tx, listed)
  const approvers = listed.filter((address) => !servers.includes(address))
  return {
    approverAddresses: approvers.length > 0 ? approvers : [ownerAddress],
    ...NO_LIMITS,
    approvedCap: FIRST_CAP,
    automaticCap: 0n,
    lifetimeCap: spentTotal + FIRST_CAP,
    reserveFloor: 0n,
    expiresAt: '',
    automaticEnabled: false,
    paused: true,
  }
}

/** Maps a policy violation to 400, because this route declares no 409. */
function requireAcceptable(terms: Parameters<typeof requirePossible>[0], vault: VaultRow): void {
  const { executorAddress: executor } = terms
  if ([vault.ownerAddress, vault.address, vault.tokenAddress].includes(executor)) {
    throw invalid('`executor` must not be the owner, the vault or its token.')
  }
  try {
    requirePossible(terms, vault)
  } catch (error) {
    if (error instanceof AppError) throw invalid(error.message)
    throw error
  }
}

/** The typed data that the vault expects, with the signer as its approver. */
async function approval(tx: Tx, { organizationId, proofId, request }: PrepareIntent) {
  const paymentId = given(request, 'paymentIntentId')
  const payment = await findPayment(tx, { organizationId, paymentId, onlyOf: null })
  const vault = payment && (await findVault(tx, { organizationId, vaultId: payment.vaultId }))
  if (!payment || !vault) throw new AppError('not_found')
  requireOwner(vault, request)
  if (request.vault !== undefined && request.vault !== vault.address) {
    throw invalid('`vault` must be the vault of that payment.')
  }
  if (request.recipient !== undefined && request.recipient !== payment.recipientAddress) {
    throw invalid('`recipient` must be the recipient of that payment.')
  }
  const content = {
    chainId: vault.chainId,
    vaultAddress: vault.address,
    approvalId: payment.approvalId ?? proofId,
    approverAddress: request.signer,
    organizationHash: await hashOf(tx, organizationId),
    chainPaymentId: payment.chainPaymentId,
    tokenAddress: payment.tokenAddress,
    recipientAddress: payment.recipientAddress,
    amount: payment.amount,
    policyVersion: payment.policyVersion,
    reportHash: payment.reportHash,
    expenseVersionHash: payment.expenseVersionHash,
    deadlineSeconds: timestampToSeconds(payment.deadline),
  }
  return { typedData: typedDataOf(content), digest: digestOf(content) }
}
