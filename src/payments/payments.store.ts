/** SQL of payments, and of their attempts and receipts as readers see them. */
import type { LoggedFields } from '@countersign/proof/evidence.ts'
import sql from 'sql-template-tag'
import { isVisibleExpense } from '#organizations/visible-expenses.store.ts'
import type { AttemptState } from '#payments/lane-store/payment-attempt.machine.ts'
import type { BlockCode } from '#platform/block-codes.ts'
import type { ExecutorProviderType } from '#platform/config/providers.ts'
import type { Reader, Tx } from '#platform/database/database.ts'
import type { PaymentState } from './payment.machine.ts'
import type { Seal } from './worker-mac.ts'

/** An approver's signature, as a reservation of the payment counts it. */
export type PaymentSignature = {
  approvalId: string
  accountId: string
  approverAddress: string
  digest: string
  signature: string
}

/** Addresses are lower case. */
export type PaymentRow = {
  id: string
  organizationId: string
  expenseId: string
  expenseRevision: number
  expenseVersionHash: string
  vaultId: string
  chainPaymentId: string
  mode: 'approved' | 'automatic'
  recipientAddress: string
  tokenAddress: string
  amount: bigint
  policyVersion: number
  reportId: string
  reportHash: string
  /** Of the first signature, like the digest. Null for an automatic payment. */
  approvalId: string | null
  approvalDigest: string | null
  /** How many different approvers must sign; 0 for an automatic payment. */
  requiredApprovals: number
  /** The signatures that the reservation counts, ascending by approver. */
  signatures: PaymentSignature[]
  deadline: string
  /** While it is queued and its period has no room for it. */
  postponedUntil: string | null
  epoch: number
  state: PaymentState
  blockCode: BlockCode | null
  hasOpenAttempt: boolean
  isGivenUp: boolean
  laneId: string | null
  executorBindingId: string | null
  executorProviderType: ExecutorProviderType | null
  executorAddress: string | null
  providerReference: string | null
  transactionHash: string | null
  createdAt: string
  updatedAt: string
}

const signatures = sql`(
  select coalesce(json_agg(json_build_object('approvalId', s.approval_id,
    'accountId', s.account_id, 'approverAddress', s.approver_address, 'digest', s.digest,
    'signature', s.signature) order by s.approver_address), '[]')
  from payment_signatures s where s.organization_id = p.organization_id and s.payment_id = p.id
    and s.epoch = p.epoch)`

/** The end of its period equals `postponed_until`, unlike a short back-off that came after it. */
export const isAwaitingPeriod = sql`(p.state = 'queued' and p.period_ends_at = p.postponed_until)`

export const paymentColumns = sql`
  p.id, p.organization_id as "organizationId", p.expense_id as "expenseId",
  p.expense_revision as "expenseRevision", p.expense_version_hash as "expenseVersionHash",
  p.vault_id as "vaultId", p.chain_payment_id as "chainPaymentId", p.mode,
  p.recipient_address as "recipientAddress", p.token_address as "tokenAddress", p.amount,
  p.policy_version as "policyVersion", p.report_id as "reportId", p.report_hash as "reportHash",
  p.approval_id as "approvalId", p.approval_digest as "approvalDigest",
  p.required_approvals as "requiredApprovals", ${signatures} as signatures, p.deadline, p.epoch,
  p.state,
  case when ${isAwaitingPeriod} then p.period_ends_at end as "postponedUntil",
  p.block_code as "blockCode", p.has_open_attempt as "hasOpenAttempt",
  p.is_given_up as "isGivenUp", p.lane_id as "laneId",
  p.executor_binding_id as "executorBindingId",
  p.executor_provider_type as "executorProviderType", p.executor_address as "executorAddress",
  p.provider_reference as "providerReference", p.transaction_hash as "transactionHash",
  p.created_at as "createdAt", p.updated_at as "updatedAt"`

export type PaymentKey = { organizationId: string; paymentId: string }

export async function lockPayment(
  tx: Tx,
  { organizationId, paymentId }: PaymentKey,
): Promise<PaymentRow | undefined> {
  const [row] = await tx.query<PaymentRow>(sql`
    select ${paymentColumns} from payments p
    where p.organization_id = ${organizationId} and p.id = ${paymentId} for update`)
  return row
}

/** Undefined when it does not exist, or when `onlyOf` is set and is not its submitter. */
export async function findPayment(
  tx: Reader,
  { organizationId, paymentId, onlyOf }: PaymentKey & { onlyOf: string | null },
): Promise<PaymentRow | undefined> {
  const [row] = await tx.query<PaymentRow>(sql`
    select ${paymentColumns} from payments p
    join expenses e on e.organization_id = p.organization_id and e.id = p.expense_id
    where p.organization_id = ${organizationId} and p.id = ${paymentId}
      and ${isVisibleExpense(onlyOf)}`)
  return row
}

/** Reserved or queued: nothing has been signed since the last reservation. */
export async function listUnsentPayments(
  tx: Tx,
  where: { organizationId: string } & ({ vaultId: string } | { recipientId: string }),
): Promise<PaymentRow[]> {
  const which =
    'vaultId' in where
      ? sql`p.vault_id = ${where.vaultId}`
      : sql`r.recipient_id = ${where.recipientId}`
  return tx.query<PaymentRow>(sql`
    select ${paymentColumns} from payments p
    join expense_revisions r on r.organization_id = p.organization_id
      and r.expense_id = p.expense_id and r.revision = p.expense_revision
    where p.organization_id = ${where.organizationId} and ${which}
      and p.state in ('reserved', 'queued')
    order by p.id`)
}

/** The columns that each reservation writes. */
export type Reservation = Pick<
  PaymentRow,
  | 'id'
  | 'organizationId'
  | 'expenseId'
  | 'expenseRevision'
  | 'expenseVersionHash'
  | 'vaultId'
  | 'chainPaymentId'
  | 'mode'
  | 'recipientAddress'
  | 'tokenAddress'
  | 'amount'
  | 'policyVersion'
  | 'reportId'
  | 'reportHash'
  | 'approvalId'
  | 'approvalDigest'
  | 'requiredApprovals'
  | 'deadline'
> & {
  /** Null for an approved payment: the signatures are its authorization. */
  seal: Seal | null
  at: Date
}

export async function insertPayment(tx: Tx, row: Reservation): Promise<PaymentRow> {
  const [inserted] = await tx.query<PaymentRow>(sql`
    insert into payments as p (id, organization_id, expense_id, expense_revision,
      expense_version_hash, vault_id, chain_payment_id, mode, recipient_address, token_address,
      amount, policy_version, report_id, report_hash, approval_id, approval_digest,
      required_approvals, deadline, mac, mac_key_id, state, created_at, updated_at)
    values (${row.id}, ${row.organizationId}, ${row.expenseId}, ${row.expenseRevision},
      ${row.expenseVersionHash}, ${row.vaultId}, ${row.chainPaymentId}, ${row.mode},
      ${row.recipientAddress}, ${row.tokenAddress}, ${row.amount}, ${row.policyVersion},
      ${row.reportId}, ${row.reportHash}, ${row.approvalId}, ${row.approvalDigest},
      ${row.requiredApprovals}, ${row.deadline}, ${row.seal?.mac ?? null},
      ${row.seal?.keyId ?? null}, 'reserved', ${row.at}, ${row.at})
    returning ${paymentColumns}`)
  if (!inserted) throw new Error('Inserting a payment returned no row')
  return inserted
}

/** Reserves a payment again: its attempts stay, its authorization is replaced. */
export function renewReservation(tx: Tx, row: Reservation): void {
  tx.write(sql`
    update payments set expense_revision = ${row.expenseRevision},
      expense_version_hash = ${row.expenseVersionHash}, vault_id = ${row.vaultId},
      mode = ${row.mode}, recipient_address = ${row.recipientAddress},
      token_address = ${row.tokenAddress}, amount = ${row.amount},
      policy_version = ${row.policyVersion}, report_id = ${row.reportId},
      report_hash = ${row.reportHash}, approval_id = ${row.approvalId},
      approval_digest = ${row.approvalDigest}, required_approvals = ${row.requiredApprovals},
      deadline = ${row.deadline}, mac = ${row.seal?.mac ?? null},
      mac_key_id = ${row.seal?.keyId ?? null}, epoch = epoch + 1,
      postponed_until = null, postponed_times = 0, transaction_hash = null, is_given_up = false,
      executor_binding_id = null, executor_provider_type = null, executor_address = null,
      provider_reference = null
    where organization_id = ${row.organizationId} and id = ${row.id}`)
}

/** The payment must be reserved; the API role may add none later. */
export function insertSignatures(
  tx: Tx,
  {
    payment: { organizationId, id: paymentId, epoch },
    signatures,
  }: {
    payment: Pick<PaymentRow, 'organizationId' | 'id' | 'epoch'>
    signatures: readonly PaymentSignature[]
  },
): void {
  tx.write(sql`
    insert into payment_signatures (organization_id, payment_id, epoch, approval_id, account_id,
      approver_address, digest, signature)
    select ${organizationId}, ${paymentId}, ${epoch}, n.*
    from unnest(${signatures.map(({ approvalId }) => approvalId)}::uuid[],
      ${signatures.map(({ accountId }) => accountId)}::uuid[],
      ${signatures.map(({ approverAddress }) => approverAddress)}::text[],
      ${signatures.map(({ digest }) => digest)}::text[],
      ${signatures.map(({ signature }) => signature)}::text[]) as n`)
}

/** Only `movePayments` calls this. Returns the ids that this statement actually updated. */
export async function updatePaymentStates(
  tx: Tx,
  moves: readonly {
    payment: Pick<PaymentRow, 'organizationId' | 'id' | 'state' | 'epoch'>
    to: PaymentState
    blockCode: BlockCode | null
    at: Date
  }[],
): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(sql`
    update payments as p set state = n.new_state, state_since = now(), block_code = n.block_code,
      updated_at = n.at
    from unnest(${moves.map(({ payment }) => payment.organizationId)}::uuid[],
      ${moves.map(({ payment }) => payment.id)}::uuid[],
      ${moves.map(({ payment }) => payment.state)}::text[],
      ${moves.map(({ payment }) => payment.epoch)}::integer[], ${moves.map(({ to }) => to)}::text[],
      ${moves.map(({ blockCode }) => blockCode)}::text[],
      ${moves.map(({ at }) => at)}::timestamptz[])
      as n (organization_id, id, old_state, epoch, new_state, block_code, at)
    where p.organization_id = n.organization_id and p.id = n.id
      and p.state = n.old_state and p.epoch = n.epoch
    returning p.id`)
  return rows.map(({ id }) => id)
}

export function updatePaymentLane(
  tx: Tx,
  { organizationId, paymentId, laneId }: PaymentKey & { laneId: string },
): void {
  tx.write(sql`
    update payments set lane_id = ${laneId}, released_at = clock_timestamp(),
      postponed_until = null
    where organization_id = ${organizationId} and id = ${paymentId}`)
}

/** Moves an unsent automatic payment to a newer policy version; it is due at once. */
export function updatePaymentPolicy(
  tx: Tx,
  row: PaymentKey & { policyVersion: number; deadline: string; seal: Seal },
): void {
  tx.write(sql`
    update payments set policy_version = ${row.policyVersion}, deadline = ${row.deadline},
      mac = ${row.seal.mac}, mac_key_id = ${row.seal.keyId}, epoch = epoch + 1,
      postponed_until = null
    where organization_id = ${row.organizationId} and id = ${row.paymentId}`)
}

export function markGivenUp(tx: Tx, { organizationId, paymentId }: PaymentKey): void {
  tx.write(sql`
    update payments set is_given_up = true
    where organization_id = ${organizationId} and id = ${paymentId}`)
}

/** One of the signatures that a payment counts, as readers see it. */
export type ShownSignature = {
  approvalId: string
  accountId: string
  displayName: string | null
  /** Lower case. */
  approverAddress: string
  digest: string
  signedAt: string | null
}

/** Ascending by approver. */
export const listPaymentApprovals = (
  tx: Tx,
  { organizationId, paymentId }: PaymentKey,
): Promise<ShownSignature[]> =>
  tx.query<ShownSignature>(sql`
    select s.approval_id as "approvalId", s.account_id as "accountId",
      n.display_name as "displayName", s.approver_address as "approverAddress", s.digest,
      a.signed_at as "signedAt"
    from payments p
    join payment_signatures s on s.organization_id = p.organization_id and s.payment_id = p.id
      and s.epoch = p.epoch
    join approvals a on a.organization_id = s.organization_id and a.id = s.approval_id
    left join profiles n on n.account_id = s.account_id
    where p.organization_id = ${organizationId} and p.id = ${paymentId}
    order by s.approver_address`)

export type AttemptRecord = {
  id: string
  number: number
  executorAddress: string
  /** Null for a delegated attempt, like `maxFeePerGas`; its hash is null until reported. */
  nonce: number | null
  transactionHash: string | null
  state: AttemptState
  maxFeePerGas: bigint | null
  errorCode: string | null
  createdAt: string
  updatedAt: string
}

export async function listAttempts(
  tx: Tx,
  { organizationId, paymentId }: PaymentKey,
): Promise<AttemptRecord[]> {
  return tx.query<AttemptRecord>(sql`
    select id, number, executor_address as "executorAddress", nonce,
      transaction_hash as "transactionHash", state, max_fee_per_gas as "maxFeePerGas",
      error_code as "errorCode", created_at as "createdAt", updated_at as "updatedAt"
    from payment_attempts
    where organization_id = ${organizationId} and payment_id = ${paymentId} order by number`)
}

export type ReceiptRow = {
  transactionHash: string
  blockNumber: number
  blockHash: string
  logIndex: number
  status: 'success' | 'reverted'
  gasUsed: bigint | null
  effectiveGasPrice: bigint | null
  execution: LoggedFields
  confirmedAt: string
}

export async function findReceipt(
  tx: Tx,
  { organizationId, paymentId }: PaymentKey,
): Promise<ReceiptRow | undefined> {
  const [row] = await tx.query<ReceiptRow>(sql`
    select transaction_hash as "transactionHash", block_number as "blockNumber",
      block_hash as "blockHash", log_index as "logIndex", status, gas_used as "gasUsed",
      effective_gas_price as "effectiveGasPrice", execution, confirmed_at as "confirmedAt"
    from payment_receipts
    where organization_id = ${organizationId} and payment_id = ${paymentId}`)
  return row
}
