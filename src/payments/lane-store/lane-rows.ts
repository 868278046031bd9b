/** Converts database rows to the engine's types. Pure. */
import { textHash } from '@countersign/proof/digest.ts'
import type { Execution } from '@countersign/proof/execution.ts'
import { timestampToSeconds } from '@countersign/proof/values.ts'
import type { Attempt } from '#payments/engine/attempt.ts'
import type { LanePayment } from '#payments/engine/lane.ts'
import type { PaymentRow } from '#payments/payments.store.ts'
import type { Chain } from '#ports/chain.ts'
import type { VaultCall } from '#ports/payment-node.ts'
import type { AttemptRow } from './attempts.store.ts'
import type { LanePaymentRow } from './lane.store.ts'

/** The fields that the vault's log of this payment must have. */
export const executionOf = (row: PaymentRow & { vaultAddress: string }): Execution => ({
  vaultAddress: row.vaultAddress,
  chainPaymentId: row.chainPaymentId,
  recipientAddress: row.recipientAddress,
  mode: row.mode,
  amount: row.amount,
  policyVersion: row.policyVersion,
  reportHash: row.reportHash,
  expenseVersionHash: row.expenseVersionHash,
  approvalDigests: row.signatures.map(({ digest }) => digest),
  approverAddresses: row.signatures.map(({ approverAddress }) => approverAddress),
})

export const callOf = (chain: Pick<Chain, 'paymentCall'>, row: LanePaymentRow): VaultCall =>
  chain.paymentCall({
    ...executionOf(row),
    deadlineSeconds: timestampToSeconds(row.deadline),
    approvals: row.signatures.map(({ approvalId, approverAddress, signature }) => {
      return { approvalId, approverAddress, signature }
    }),
  })

function toAttempt(row: AttemptRow, call: () => VaultCall): Attempt {
  if (row.kind === 'entrusted') {
    const { paymentId: _payment, callHash, ...attempt } = row
    // Computed on first use, like the call itself.
    return {
      ...attempt,
      get isSameCall() {
        return textHash(call().data) === callHash
      },
    }
  }
  const { paymentId: _payment, maxFeePerGas, maxPriorityFeePerGas, ...attempt } = row
  return { ...attempt, fees: { maxFeePerGas, maxPriorityFeePerGas } }
}

export function toLanePayment(
  chain: Pick<Chain, 'paymentCall'>,
  row: LanePaymentRow,
  attempts: readonly AttemptRow[],
): LanePayment {
  let made: VaultCall | undefined
  // Encoded on first use: most passes need few of the calls.
  const call = (): VaultCall => {
    made ??= callOf(chain, row)
    return made
  }
  return {
    id: row.id,
    epoch: row.epoch,
    state: row.state,
    stateSinceMs: row.stateSinceMs,
    get call() {
      return call()
    },
    expected: executionOf(row),
    blockCode: row.blockCode,
    isGivenUp: row.isGivenUp,
    attempts: attempts
      .filter(({ paymentId }) => paymentId === row.id)
      .map((attempt) => toAttempt(attempt, call)),
  }
}
