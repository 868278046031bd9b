/**
 * Reserves the payment of an authorised expense. The vault's row stays locked while reservations
 * are summed, so that two expenses never reserve the same funds.
 */
import { chainPaymentIdOf, organizationHash } from '@countersign/proof/digest.ts'
import type { Context } from '#context.ts'
import { findNamedBinding } from '#executor/executor.store.ts'
import type { ExpenseRow, RevisionRow } from '#expenses/expenses.store.ts'
import type { Actor } from '#journal/actor.ts'
import { findOrganizationSalt } from '#organizations/members.store.ts'
import { findRecipient } from '#organizations/recipients.store.ts'
import type { Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import { readPeriod } from '#treasury/period.ts'
import { findPolicy, type PolicyRow } from '#treasury/policies.store.ts'
import { type Spending, spendingRefusal, withoutOwn } from '#treasury/spending.ts'
import { findVaultRecipient } from '#treasury/vault-recipients.store.ts'
import { findHeld, lockVault, type VaultRow } from '#treasury/vaults.store.ts'
import { requireMacKeys } from './accepted-keys.ts'
import { findAutomaticStanding, lockAutomaticSums } from './automatic.store.ts'
import { automaticRefusal } from './automatic-limits.ts'
import { listPayingVaults } from './executions.store.ts'
import { enqueueMatching } from './match-executions.ts'
import { movePayment } from './move-payment.ts'
import { type Authorization, isForged } from './payment.ts'
import {
  insertPayment,
  insertSignatures,
  lockPayment,
  type PaymentRow,
  type PaymentSignature,
  type Reservation,
  renewReservation,
} from './payments.store.ts'
import { recordReservation, reservationData } from './record-reservation.ts'
import { enqueueDeadline } from './release-payment.ts'
import { type AutomaticTerms, type Seal, sealAuthorization } from './worker-mac.ts'

export type ReservePayment = {
  /** Locked by the caller. */
  expense: ExpenseRow
  revision: RevisionRow
  report: { id: string; reportHash: string }
  authorization: Authorization
  actor: Actor
}

export type Room = Spending & { policy: PolicyRow }

/**
 * Reads what limits this payment now. Locks the vault until the transaction ends. `own`: the
 * payment itself, whose reservation must not count against it.
 */
export async function lockSpending(
  ctx: Pick<Context, 'clock'>,
  tx: Tx,
  {
    revision,
    mode,
    organizationId,
    own,
  }: {
    organizationId: string
    revision: RevisionRow
    mode: Spending['mode']
    own?: PaymentRow | undefined
  },
): Promise<Spending> {
  const { vaultId, recipientAddress, amount } = revision
  const vault = await lockVault(tx, { organizationId, vaultId })
  if (!vault) throw new AppError('vault_unverified')
  const held = await findHeld(tx, { organizationId, vaultId })
  const policy = await findPolicy(tx, { organizationId, vaultId, version: vault.policyVersion })
  const now = ctx.clock.now().toISOString()
  return {
    vault,
    policy,
    held: own && isUnsent(own) && own.vaultId === vaultId ? withoutOwn(held, own) : held,
    executorAddress: (await findNamedBinding(tx, { organizationId, policy }))?.address,
    mode,
    amount,
    recipientAddress,
    recipient: await findVaultRecipient(tx, { organizationId, vaultId, address: recipientAddress }),
    period: await readPeriod(tx, { policy, now }),
    now,
  }
}

const isUnsent = ({ state }: PaymentRow): boolean => state === 'reserved' || state === 'queued'

export async function requireActiveRecipient(
  tx: Tx,
  { organizationId, recipientId }: { organizationId: string; recipientId: string },
): Promise<void> {
  const recipient = await findRecipient(tx, { organizationId, recipientId })
  if (recipient?.active) return
  throw new AppError('state_conflict', {
    message: 'The recipient is deactivated. Revise the expense with another recipient.',
  })
}

/** Fixed for an expense, whatever its vault or revision. */
export async function findChainPaymentId(
  tx: Tx,
  { organizationId, paymentId }: Pick<ExpenseRow, 'organizationId' | 'paymentId'>,
  chainId: number,
): Promise<string> {
  const salt = await findOrganizationSalt(tx, organizationId)
  const hash = organizationHash({ organizationId, salt })
  return chainPaymentIdOf({ chainId, organizationHash: hash, paymentId })
}

/**
 * After a restored backup the database may lack a payment that the chain has. A vault pays no id
 * twice, and the engine finds its proof; but a vault does not know the payments of another one.
 */
export async function findIsPaidByAnother(
  tx: Tx,
  expense: ExpenseRow,
  vault: VaultRow,
): Promise<boolean> {
  return (await findPayingVaults(tx, expense, vault)).some((id) => id !== vault.id)
}

async function findPayingVaults(
  tx: Tx,
  expense: ExpenseRow,
  { chainId }: VaultRow,
): Promise<string[]> {
  const { organizationId } = expense
  const chainPaymentId = await findChainPaymentId(tx, expense, chainId)
  return listPayingVaults(tx, { organizationId, chainPaymentId })
}

/** True when this vault has already paid: the engine only needs to find the proof. */
export async function requireUnpaidElsewhere(
  tx: Tx,
  expense: ExpenseRow,
  vault: VaultRow,
): Promise<boolean> {
  const paying = await findPayingVaults(tx, expense, vault)
  if (paying.every((id) => id === vault.id)) return paying.length > 0
  throw new AppError('state_conflict', {
    message: 'Another vault has already paid this expense on the chain. It cannot be paid again.',
  })
}

export function requireRoom(spending: Spending): Room {
  const refusal = spendingRefusal(spending)
  if (refusal) throw new AppError(refusal.code, { message: refusal.message })
  const { policy } = spending
  if (!policy) throw new AppError('policy_missing')
  return { ...spending, policy }
}

/** Runs in the reserving transaction, so that no release exceeds the limits. */
export async function requireAutomaticRoom(
  { config }: Pick<Context, 'config'>,
  tx: Tx,
  {
    expense,
    revision,
    policy,
  }: Pick<ReservePayment, 'expense' | 'revision'> & Pick<Room, 'policy'>,
): Promise<void> {
  const { organizationId, paymentId, submitterAccountId } = expense
  const { vaultId, recipientAddress, amount, authorAccountId } = revision
  lockAutomaticSums(tx, organizationId)
  const standing = await findAutomaticStanding(tx, {
    organizationId,
    paymentId,
    vaultId,
    recipientAddress,
    accountIds: [submitterAccountId, authorAccountId],
  })
  const { automaticCap } = policy
  const rules = config.limits.automatic
  const message = automaticRefusal({ standing, rules, automaticCap, amount })
  if (message !== undefined) throw new AppError('policy_violation', { message })
}

export async function reservePayment(
  ctx: Pick<Context, 'clock' | 'ids' | 'secrets' | 'config'>,
  tx: Tx,
  { expense, revision, report, authorization, actor }: ReservePayment,
): Promise<PaymentRow> {
  const { organizationId } = expense
  const mode = authorization.kind
  await requireActiveRecipient(tx, { organizationId, recipientId: revision.recipientId })
  const { vault, policy } = requireRoom(
    await lockSpending(ctx, tx, { organizationId, revision, mode }),
  )
  const isPaidAlready = await requireUnpaidElsewhere(tx, expense, vault)
  if (isPaidAlready) enqueueMatching(tx, { organizationId, vaultId: vault.id })
  if (mode === 'automatic') await requireAutomaticRoom(ctx, tx, { expense, revision, policy })
  const signatures = authorization.kind === 'approved' ? authorization.signatures : []
  const [first] = signatures
  const { deadline } = authorization
  const reservation: Omit<Reservation, 'seal'> = {
    id: expense.paymentId,
    organizationId,
    expenseId: expense.id,
    expenseRevision: revision.revision,
    expenseVersionHash: revision.versionHash,
    vaultId: vault.id,
    chainPaymentId: await findChainPaymentId(tx, expense, vault.chainId),
    mode,
    recipientAddress: revision.recipientAddress,
    tokenAddress: vault.tokenAddress,
    amount: revision.amount,
    policyVersion: policy.version,
    reportId: report.id,
    reportHash: report.reportHash,
    approvalId: first?.approvalId ?? null,
    approvalDigest: first?.digest ?? null,
    requiredApprovals:
      authorization.kind === 'approved' ? authorization.requiredApprovals : NO_APPROVALS,
    deadline,
    at: ctx.clock.now(),
  }
  const seal = mode === 'automatic' ? sealed(ctx, reservation) : null
  if (mode === 'automatic') {
    enqueueDeadline(tx, { organizationId, paymentId: expense.paymentId }, deadline)
  }
  const existing = await lockPayment(tx, { organizationId, paymentId: expense.paymentId })
  const asked = { reservation: { ...reservation, seal }, signatures, actor }
  return existing ? reserveAgain(ctx, tx, { existing, ...asked }) : reserveFirst(ctx, tx, asked)
}

const NO_APPROVALS = 0

type Reserving = {
  reservation: Reservation
  signatures: readonly PaymentSignature[]
  actor: Actor
}

async function reserveFirst(
  ctx: Pick<Context, 'clock' | 'ids'>,
  tx: Tx,
  { reservation, signatures, actor }: Reserving,
): Promise<PaymentRow> {
  const inserted = await insertPayment(tx, reservation)
  insertSignatures(tx, { payment: inserted, signatures })
  const payment = await lockReserved(tx, inserted)
  await recordReservation(ctx, tx, { payment, actor })
  return payment
}

/** The MAC that authorises the engine to pay without a person's signature. */
export const sealed = (
  { secrets }: Pick<Context, 'secrets'>,
  payment: Omit<AutomaticTerms, 'revision' | 'versionHash'> &
    Pick<PaymentRow, 'expenseRevision' | 'expenseVersionHash'>,
): Seal =>
  sealAuthorization(requireMacKeys(secrets), {
    ...payment,
    revision: payment.expenseRevision,
    versionHash: payment.expenseVersionHash,
  })

/** Refused while an earlier attempt may still be mined. */
async function reserveAgain(
  ctx: Pick<Context, 'clock' | 'ids'>,
  tx: Tx,
  { existing, reservation, signatures, actor }: Reserving & { existing: PaymentRow },
): Promise<PaymentRow> {
  if (existing.hasOpenAttempt) {
    throw new AppError('state_conflict', {
      message: 'A transaction of this payment may still be mined. Reconcile it first.',
    })
  }
  if (isForged(existing) && existing.expenseRevision === reservation.expenseRevision) {
    throw new AppError('state_conflict', {
      message:
        'This revision can never be paid: the service did not write all of its rows. Revise the ' +
        'expense.',
    })
  }
  const data = reservationData(reservation)
  // Terms first: the API role may set `reserved` only with an approval in the row.
  renewReservation(tx, reservation)
  const payment = { ...existing, epoch: existing.epoch + 1, mode: reservation.mode }
  if (!(await movePayment(ctx, tx, { payment, event: 'reserve', actor, data }))) {
    throw new AppError('state_conflict')
  }
  insertSignatures(tx, { payment, signatures })
  return lockReserved(tx, payment)
}

export async function lockReserved(
  tx: Tx,
  { organizationId, id: paymentId }: Pick<PaymentRow, 'organizationId' | 'id'>,
): Promise<PaymentRow> {
  const reserved = await lockPayment(tx, { organizationId, paymentId })
  if (!reserved) throw new AppError('state_conflict')
  return reserved
}
