/** Knows the truth that no worker knows, and checks every claim of the store against it. */
import type { SignedAttempt } from '#payments/engine/attempt.ts'
import {
  executionsOf,
  FEE_CEILING,
  finalizedOf,
  headOf,
  nonceOf,
  type SimulatedChain,
  type Transaction,
} from './chain.ts'
import type { Moved, PaymentRow, Rows } from './memory-rows.ts'

export const violationKinds = [
  'double_payment',
  'false_confirmed',
  'false_failed',
  'unfinished',
  'nonce_gap',
  'wrong_replacement',
  'too_many_in_flight',
  'fee_above_ceiling',
] as const

type ViolationKind = (typeof violationKinds)[number]

export type Violation = { kind: ViolationKind; detail: string }

/** Blocked, and as certainly unpaid as a failed one. */
const DENIALS = ['provider_denied', 'provider_refused']

export type Oracle = {
  violations: Violation[]
  onSigned(transaction: Transaction): void
  onMove(moved: Moved): void
  /** After everything that could still be mined has been. */
  judgeEnd(rows: Rows): void
}

export function createOracle({
  chain,
  inFlightMax,
}: {
  chain: SimulatedChain
  inFlightMax: number
}): Oracle {
  const violations: Violation[] = []
  const signed: Transaction[] = []
  const report = (kind: ViolationKind, detail: string) => violations.push({ kind, detail })
  const signedFor = (row: PaymentRow) =>
    signed.filter(({ chainPaymentId }) => chainPaymentId === row.expected.chainPaymentId)

  const onFailed = (row: PaymentRow) => {
    const final = finalizedOf(chain)
    const open = signedFor(row).filter(({ address, nonce }) => nonce >= nonceOf(final, address))
    if (open.length > 0) report('false_failed', `${row.id}: ${open[0]?.hash} can still be mined`)
    if (executionsOf(chain, row.expected.chainPaymentId).length > 0) {
      report('false_failed', `${row.id} was executed`)
    }
  }
  const onConfirmed = (row: PaymentRow) => {
    const executed = executionsOf(chain, row.expected.chainPaymentId)
    if (!executed.some(({ number }) => number <= finalizedOf(chain).number)) {
      report('false_confirmed', `${row.id} has no final log`)
    }
  }

  return {
    violations,
    onSigned(transaction) {
      signed.push(transaction)
      const unmined = transaction.nonce + 1 - nonceOf(headOf(chain), transaction.address)
      if (unmined > inFlightMax) report('too_many_in_flight', transaction.hash)
    },
    onMove({ row, event, code }) {
      const isDenied = event === 'block' && DENIALS.includes(code ?? '')
      if (event === 'fail' || event === 'requeue' || isDenied) onFailed(row)
      if (event === 'confirm') onConfirmed(row)
    },
    judgeEnd({ payments, lanes }) {
      for (const row of payments.values()) {
        const executed = executionsOf(chain, row.expected.chainPaymentId).length
        if (executed > 1) report('double_payment', `${row.id} was executed ${executed} times`)
        if (row.state === 'confirmed' && executed === 0) {
          report('false_confirmed', `${row.id} is not in the chain`)
        }
        if (row.state === 'failed' && executed > 0) report('false_failed', row.id)
        const isFinished = row.state === 'confirmed' || row.isCancelled
        if (!isFinished) report('unfinished', `${row.id} is ${row.state}`)
        for (const detail of wrongReplacements(row)) report('wrong_replacement', detail)
        // A delegated provider sets its own fees.
        const isDear = (attempt: SignedAttempt) => attempt.fees.maxFeePerGas > FEE_CEILING
        const signedHere = row.attempts.filter((attempt) => attempt.kind === 'signed')
        if (signedHere.some(isDear)) report('fee_above_ceiling', row.id)
      }
      for (const { id, address, nextNonce } of lanes.values()) {
        const used = nonceOf(headOf(chain), address)
        if (used !== nextNonce) report('nonce_gap', `${id} took ${nextNonce}, the chain ${used}`)
      }
    },
  }
}

/** Same nonce, at least an eighth above the one before, at most five times the first. */
function wrongReplacements({ id, attempts: all }: PaymentRow): string[] {
  const attempts = all.filter((attempt) => attempt.kind === 'signed')
  const feeAt = (nonce: number, rank: number) =>
    attempts.find((a) => a.nonce === nonce && a.feeRank === rank)?.fees.maxFeePerGas
  const isRight = ({ nonce, feeRank, fees: { maxFeePerGas } }: SignedAttempt): boolean => {
    const before = feeAt(nonce, feeRank - 1)
    const first = feeAt(nonce, 0)
    if (before === undefined || first === undefined) return false
    return maxFeePerGas * 8n >= before * 9n && maxFeePerGas <= 5n * first
  }
  return attempts
    .filter((attempt) => attempt.feeRank > 0 && !isRight(attempt))
    .map(({ nonce, feeRank }) => `${id} nonce ${nonce} rank ${feeRank}`)
}
