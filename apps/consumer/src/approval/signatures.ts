/** The signatures on the current revision of an expense, and what is still missing. Pure. */
import type { DataOf } from '@countersign/client/operation-types.ts'

type Expense = DataOf<'getExpense'>
type Signature = NonNullable<Expense['approvals']>[number]

type Signable = Pick<Expense, 'currentRevision' | 'requiredApprovals'> & {
  approvals?: readonly Pick<Signature, 'state' | 'cancelled' | 'expenseRevision'>[]
}

type OneOf<E extends Signable> = NonNullable<E['approvals']>[number]

export type Signatures<One = Signature> = {
  /** How many different people must sign. One where the service has not said. */
  required: number
  signed: One[]
  /** Prepared and not signed yet. */
  open: One[]
  missing: number
}

/** Signatures of earlier revisions, and those that ended, do not count. */
export function signaturesOf<E extends Signable>(expense: E): Signatures<OneOf<E>> {
  const own = ((expense.approvals ?? []) as OneOf<E>[]).filter(
    ({ expenseRevision }) => expenseRevision === expense.currentRevision,
  )
  const required = expense.requiredApprovals ?? 1
  const signed = own.filter(({ state }) => state === 'signed' || state === 'consumed')
  const open = own.filter(({ state, cancelled }) => state === 'prepared' && !cancelled)
  return { required, signed, open, missing: Math.max(0, required - signed.length) }
}

/** Whether several people have to sign, so that a count tells the reader something. */
export const isShared = ({ required }: Pick<Signatures, 'required'>): boolean => required > 1

/**
 * The deadline that everybody else's signatures and preparations share, and that a further one takes
 * over. Null while nobody has begun, or where one signature is enough.
 */
export function sharedDeadline(
  expense: Expense,
  { accountId, now }: { accountId: string; now: number },
): string | null {
  const { required, signed, open } = signaturesOf(expense)
  if (!isShared({ required })) return null
  const standing = [...signed, ...open].find(
    (one) => one.accountId !== accountId && Date.parse(one.deadline) > now,
  )
  return standing?.deadline ?? null
}
