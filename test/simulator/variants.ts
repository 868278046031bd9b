/** Five wrong engines. The simulator must catch each of them. */
import type { Sending } from '#payments/engine/lane.ts'
import {
  freshOf,
  freshPayment,
  movePayment,
  type Rows,
  signAttempt,
  takeNonce,
} from './memory-rows.ts'
import type { MemoryStore } from './memory-store.ts'
import type { AskProvider } from './provider.ts'

export type Variant = {
  name: string
  isFenced?: boolean
  finalityDepth?: number
  change?: (rows: Rows, store: MemoryStore) => Partial<MemoryStore>
  changeProvider?: (asked: AskProvider) => AskProvider
}

export const rightEngine: Variant = { name: 'these rules' }

/** Sends before persisting: after a crash the nonce and the bytes would be lost. */
const storedAfterBroadcast: Variant = {
  name: 'attempt stored after the broadcast',
  change: (rows, store) => ({
    async writeAhead({ token, payments, fees }) {
      const written: Sending[] = []
      for (const { payment, row } of freshOf(rows, token, payments)) {
        const nonce = takeNonce(rows, row)
        const attempt = await signAttempt(rows, row, { nonce, feeRank: 0, fees })
        written.push({ payment, attempt })
      }
      return written
    },
    async recordSends({ token, sends }) {
      for (const send of sends) {
        const { payment, attempt, event } = send
        const isNew = !payment.attempts.some(({ id }) => id === attempt.id) && attempt.feeRank === 0
        if (!isNew) {
          await store.recordSends({ token, sends: [send] })
          continue
        }
        const row = freshPayment(rows, { token, payment: { ...payment, state: 'queued' } })
        if (!row) continue
        row.attempts.push({ ...attempt, sentAtMs: row.stateSinceMs, isCleared: false })
        movePayment(rows, row, { event: 'writeAhead' })
        if (event) movePayment(rows, row, { event })
      }
      return 'done'
    },
  }),
}

/** After a time-out it signs anew instead of resending. */
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
    lose: ({ token, payment }) =>
      store.fail({ token, payment, code: 'execution_not_found', finalizedNumber: 0 }),
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
