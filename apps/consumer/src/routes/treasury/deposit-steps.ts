/** A deposit takes two transactions: the token is told, then the vault takes the amount. */
import type { ReceiptState } from '../../wallet/use-receipt.ts'

export type DepositStep = 'allow' | 'allowing' | 'deposit' | 'depositing' | 'done' | 'failed'

export function depositStep({
  amount,
  allowance,
  allowed,
  deposited,
}: {
  amount: bigint
  allowance: bigint
  /** Receipts of the two transactions; null before one is sent. */
  allowed: ReceiptState | null
  deposited: ReceiptState | null
}): DepositStep {
  if (deposited === 'done') return 'done'
  if (deposited === 'reverted') return 'failed'
  if (deposited === 'waiting') return 'depositing'
  if (allowed === 'reverted') return 'failed'
  if (allowed === 'waiting') return 'allowing'
  // The allowance may have been given before, or taken back meanwhile: the token decides.
  return allowance >= amount ? 'deposit' : 'allow'
}

/** Only the wallet knows whether a transaction that is awaited was replaced, so one looks there first. */
export function wayOutOf(
  step: DepositStep,
): 'another_amount' | 'look_first' | 'start_again' | null {
  switch (step) {
    case 'done':
      return null
    case 'failed':
      return 'start_again'
    case 'depositing':
      return 'look_first'
    default:
      return 'another_amount'
  }
}
