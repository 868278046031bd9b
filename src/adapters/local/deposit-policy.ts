/** Checks an unsigned transaction, as serialized bytes, against a funding policy. Pure. */
import {
  decodeAbiParameters,
  type Hex,
  parseTransaction,
  size,
  slice,
  toFunctionSelector,
} from 'viem'
import type { FundingRule } from '#ports/funding-provider.ts'

export type DepositPolicy = FundingRule & { signerId: string; policyId: string }

const DEPOSIT = toFunctionSelector('deposit(uint256)')
const SELECTOR_BYTES = 4
const ARGUMENT_BYTES = 32

export type DepositRefusal =
  | 'transaction_unreadable'
  | 'chain_not_allowed'
  | 'target_not_allowed'
  | 'native_value_not_allowed'
  | 'function_not_allowed'
  | 'amount_not_allowed'
  | 'policy_expired'

/** Undefined if it may be signed. Everything that is not explicitly allowed is refused. */
export function depositRefusalOf(
  policy: DepositPolicy,
  unsigned: Hex,
  now: Date,
): DepositRefusal | undefined {
  const transaction = decoded(unsigned)
  if (transaction?.type !== 'eip1559' || transaction.accessList?.length) {
    return 'transaction_unreadable'
  }
  if (transaction.chainId !== policy.chainId) return 'chain_not_allowed'
  if (transaction.to?.toLowerCase() !== policy.vaultAddress) return 'target_not_allowed'
  if ((transaction.value ?? 0n) !== 0n) return 'native_value_not_allowed'
  const amount = depositedBy(transaction.data ?? '0x')
  if (amount === undefined) return 'function_not_allowed'
  if (amount === 0n || amount > policy.maxAmount) return 'amount_not_allowed'
  return policy.expiresAt <= now.toISOString() ? 'policy_expired' : undefined
}

function decoded(unsigned: Hex) {
  try {
    return parseTransaction(unsigned)
  } catch {
    return undefined
  }
}

/** Undefined for anything but `deposit(uint256)` without trailing bytes. */
function depositedBy(data: Hex): bigint | undefined {
  if (size(data) !== SELECTOR_BYTES + ARGUMENT_BYTES) return undefined
  if (slice(data, 0, SELECTOR_BYTES).toLowerCase() !== DEPOSIT) return undefined
  return decodeAbiParameters([{ type: 'uint256' }], slice(data, SELECTOR_BYTES))[0]
}
