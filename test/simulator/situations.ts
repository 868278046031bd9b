/** Payments, attempts and chain observations for the tests of the engine's decisions. */
import type { Execution } from '@countersign/proof/execution.ts'
import type { SignedAttempt } from '#payments/engine/attempt.ts'
import type { LanePayment, LaneSettings, LaneView, PaymentView } from '#payments/engine/lane.ts'
import type { ExecutionLog } from '#ports/payment-node.ts'

export type SeenLane = Extract<LaneView, { outcome: 'seen' }>
export type SeenPayment = Extract<PaymentView, { outcome: 'seen' }>

export const settings: LaneSettings = {
  leaseMs: 10_000,
  inFlightMax: 16,
  pollEveryMs: 1_000,
  pollBlockedEveryMs: 30_000,
  resendAfterMs: 5_000,
  loseAfterMs: 60_000,
  replaceAfterMs: 30_000,
}

export const expected: Execution = {
  vaultAddress: '0xva',
  chainPaymentId: '0x1d',
  recipientAddress: '0xre',
  mode: 'approved',
  amount: 25_000_000n,
  policyVersion: 3,
  reportHash: '0x0a',
  expenseVersionHash: '0x0b',
  approvalDigests: ['0x0c', '0x0d'],
  approverAddresses: ['0xap', '0xaq'],
}

export const attemptAt = (
  nonce: number,
  feeRank = 0,
  change: Partial<SignedAttempt> = {},
): SignedAttempt => ({
  kind: 'signed',
  id: `${nonce}-${feeRank}`,
  nonce,
  feeRank,
  fees: { maxFeePerGas: 800n + 100n * BigInt(feeRank), maxPriorityFeePerGas: 80n },
  transactionHash: `0x${nonce}${feeRank}`,
  raw: '0xf8',
  writtenAtMs: 0,
  sentAtMs: 0,
  ...change,
})

export const paymentIn = (state: LanePayment['state'], attempts = [attemptAt(7)]): LanePayment => ({
  id: 'payment',
  epoch: 1,
  state,
  stateSinceMs: 0,
  call: { vaultAddress: '0xva', data: '0xca', gasLimit: 200_000n },
  expected,
  attempts,
})

export const log: ExecutionLog = {
  ...expected,
  transactionHash: '0x70',
  blockNumber: 90,
  blockHash: '0xb90',
  logIndex: 0,
  gasUsed: 90_000n,
  effectiveGasPrice: 400n,
}

export const unmined: SeenLane = {
  outcome: 'seen',
  headNumber: 105,
  finalizedNumber: 100,
  finalizedNonce: 7,
  headNonce: { common: 7, highest: 7 },
  market: {
    outcome: 'known',
    fees: { maxFeePerGas: 800n, maxPriorityFeePerGas: 80n },
    ceiling: 1_000_000n,
  },
  gasBalance: 10n ** 18n,
}
export const mined: SeenLane = { ...unmined, headNonce: { common: 8, highest: 8 } }
export const final: SeenLane = { ...mined, finalizedNonce: 8 }

export const seen = (change: Partial<SeenPayment> = {}): SeenPayment => ({
  outcome: 'seen',
  isExecuted: false,
  logs: [],
  receipts: [],
  ...change,
})
export const receipt = (attempt: SignedAttempt, status: 'success' | 'reverted') => ({
  transactionHash: attempt.transactionHash,
  status,
  blockNumber: 90,
  blockHash: '0xb90',
})
export const executed = seen({
  isExecuted: true,
  logs: [log],
  receipts: [receipt(attemptAt(7), 'success')],
})
export const reverted = seen({ receipts: [receipt(attemptAt(7), 'reverted')] })
