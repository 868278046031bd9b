/** Knows the truth that no worker knows, and holds every claim of the store against it. */
import { nonceOf, type SimulatedChain, type Transaction } from './chain.ts'
import type { MemoryStore, Moved, PaymentRow } from './memory-store.ts'

export type ViolationKind =
  | 'double_payment'
  | 'false_confirmed'
  | 'false_failed'
  | 'unfinished'
  | 'nonce_gap'
  | 'wrong_replacement'
  | 'too_many_in_flight'

export type Violation = { kind: ViolationKind; detail: string }

export type Oracle = {
  violations: Violation[]
  onSigned(transaction: Transaction): void
  onMove(moved: Moved): void
  /** After everything that could still be mined has been. */
  judgeEnd(store: MemoryStore): void
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
    const final = chain.finalized()
    const open = signedFor(row).filter(({ address, nonce }) => nonce >= nonceOf(final, address))
    if (open.length > 0) report('false_failed', `${row.id}: ${open[0]?.hash} can still be mined`)
    if (chain.executionsOf(row.expected.chainPaymentId).length > 0) {
      report('false_failed', `${row.id} was executed`)
    }
  }
  const onConfirmed = (row: PaymentRow) => {
    const executed = chain.executionsOf(row.expected.chainPaymentId)
    if (!executed.some(({ number }) => number <= chain.finalized().number)) {
      report('false_confirmed', `${row.id} has no final log`)
    }
  }

  function judgeReplacements(row: PaymentRow): void {
    for (const { nonce, feeRank, fees } of row.attempts.filter((a) => a.feeRank > 0)) {
      const at = (rank: number) =>
        row.attempts.find((a) => a.nonce === nonce && a.feeRank === rank)?.fees.maxFeePerGas
      const before = at(feeRank - 1)
      const first = at(0)
      const isRaised = before !== undefined && fees.maxFeePerGas * 8n >= before * 9n
      const isBelowCeiling = first !== undefined && fees.maxFeePerGas <= 5n * first
      if (!isRaised || !isBelowCeiling) {
        report('wrong_replacement', `${row.id} nonce ${nonce} rank ${feeRank}`)
      }
    }
  }

  return {
    violations,
    onSigned(transaction) {
      signed.push(transaction)
      const unmined = transaction.nonce + 1 - nonceOf(chain.head(), transaction.address)
      if (unmined > inFlightMax) report('too_many_in_flight', transaction.hash)
    },
    onMove({ row, event }) {
      if (event === 'fail') onFailed(row)
      if (event === 'confirm') onConfirmed(row)
    },
    judgeEnd({ payments, lanes }) {
      for (const row of payments.values()) {
        const executed = chain.executionsOf(row.expected.chainPaymentId).length
        if (executed > 1) report('double_payment', `${row.id} was executed ${executed} times`)
        if (row.state === 'confirmed' && executed === 0) {
          report('false_confirmed', `${row.id} is not in the chain`)
        }
        if (row.state === 'failed' && executed > 0) report('false_failed', row.id)
        if (row.state !== 'confirmed') report('unfinished', `${row.id} is ${row.state}`)
        judgeReplacements(row)
      }
      for (const { id, address, nextNonce } of lanes.values()) {
        const used = nonceOf(chain.head(), address)
        if (used !== nextNonce) report('nonce_gap', `${id} took ${nextNonce}, the chain ${used}`)
      }
    },
  }
}
