/** Five engines that look right and are not. The simulator must catch each of them. */
import type { LaneStore } from '#payments/lane.ts'
import { freshPayment, movePayment, type Rows, signAttempt, takeNonce } from './memory-rows.ts'

export type Variant = {
  name: string
  isFenced?: boolean
  finalityDepth?: number
  change?: (rows: Rows, store: LaneStore) => Partial<LaneStore>
}

export const rightEngine: Variant = { name: 'these rules' }

/** The nonce is taken and the bytes are sent, but nobody would know after a crash. */
const storedAfterBroadcast: Variant = {
  name: 'attempt stored after the broadcast',
  change: (rows, store) => ({
    async writeAhead({ fence, payment, fees, sign }) {
      const row = freshPayment(rows, { fence, payment })
      if (!row) return { outcome: 'stale' }
      const nonce = takeNonce(rows, row)
      const attempt = await signAttempt(rows, row, { nonce, feeRank: 0, fees, sign })
      return { outcome: 'written', attempt }
    },
    async recordSend(input) {
      const { fence, payment, attempt, event } = input
      const isNew = !payment.attempts.some(({ id }) => id === attempt.id) && attempt.feeRank === 0
      if (!isNew) return store.recordSend(input)
      const row = freshPayment(rows, { fence, payment: { ...payment, state: 'queued' } })
      if (!row) return 'stale'
      row.attempts.push({ ...attempt, sentAtMs: row.stateSinceMs, isCleared: false })
      movePayment(rows, row, { event: 'writeAhead' })
      return event ? movePayment(rows, row, { event }) : 'done'
    },
  }),
}

/** It did not come through in time, so it is sent again as if for the first time. */
const newNonceOnTimeout: Variant = {
  name: 'new nonce on time-out',
  change: (rows, store) => ({
    async lose(input) {
      const lost = await store.lose(input)
      const row = rows.payments.get(input.payment.id)
      if (lost === 'done' && row) row.state = 'queued'
      return lost
    },
  }),
}

const notFenced: Variant = { name: 'no fencing', isFenced: false }

const failedOnTimeout: Variant = {
  name: 'failed on time-out',
  change: (_rows, store) => ({
    lose: ({ fence, payment }) =>
      store.fail({ fence, payment, code: 'timed_out', finalizedNumber: 0 }),
  }),
}

const confirmedOnFirstReceipt: Variant = {
  name: 'confirmed on the first receipt',
  finalityDepth: 0,
}

export const wrongVariants: readonly Variant[] = [
  storedAfterBroadcast,
  newNonceOnTimeout,
  notFenced,
  failedOnTimeout,
  confirmedOnFirstReceipt,
]
