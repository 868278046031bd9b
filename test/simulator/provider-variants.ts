/** Five wrong engines for delegated payments. The simulator must catch each. */
import { isOver } from '#payments/engine/judge-delegated.ts'
import type { AttemptReport } from '#payments/engine/lane.ts'
import { movePayment, type PaymentRow, type Rows } from './memory-rows.ts'
import type { MemoryStore } from './memory-store.ts'
import type { AskProvider } from './provider.ts'
import type { Variant } from './variants.ts'

/** After a lost answer it sends a new request instead of repeating the key. */
const newKeyOnTimeout: Variant = {
  name: 'new key on time-out',
  changeProvider: (asked) => {
    let count = 0
    return {
      ...asked,
      submit: (input) => {
        count += 1
        return asked.submit({ ...input, idempotencyKey: `${input.idempotencyKey}/${count}` })
      },
    }
  },
}

/** Records the reports as the right store does, and then trusts them. */
const believing =
  (believe: (rows: Rows, row: PaymentRow, heard: AttemptReport) => void) =>
  (rows: Rows, store: MemoryStore): Partial<MemoryStore> => ({
    async recordReports({ token, reports }) {
      const written = await store.recordReports({ token, reports })
      for (const heard of written === 'done' ? reports : []) {
        const row = rows.payments.get(heard.payment.id)
        if (row) believe(rows, row, heard)
      }
      return written
    },
  })

const failedOnItsWord: Variant = {
  name: "failed on the provider's report",
  change: believing((rows, row, { report }) => {
    if (row.state !== 'reconciling' || !isOver(report?.status ?? null)) return
    for (const attempt of row.attempts) attempt.isCleared = true
    movePayment(rows, row, { event: 'fail', code: 'provider_failed' })
  }),
}

const confirmedOnItsWord: Variant = {
  name: "confirmed on the provider's report",
  change: believing((rows, row, { report }) => {
    const isIt = row.state === 'broadcast' || row.state === 'reconciling'
    if (isIt && report?.status === 'mined') movePayment(rows, row, { event: 'confirm' })
  }),
}

/** This request created nothing; an earlier request with the same key may have. */
const refusedOnRepeat: Variant = {
  name: 'a refused repeat taken for a denial',
  changeProvider: (asked): AskProvider => ({
    ...asked,
    submit: (input) => {
      const answer = asked.submit(input)
      if (answer.outcome === 'reported') return answer
      const none = { providerReference: 'none', transactionHash: null, code: answer.code }
      return { outcome: 'reported', state: 'denied', ...none }
    },
  }),
}

/** The vault had not paid at the final block, but that was read before the provider's report. */
const olderBlock: Variant = {
  name: 'judged at a block before the report',
  change: (_rows, store) => ({
    recordReports: ({ token, reports }) =>
      store.recordReports({
        token,
        reports: reports.map((heard) => ({
          ...heard,
          reportedBlock: heard.reportedBlock === null ? null : 0,
        })),
      }),
  }),
}

export const wrongProviderVariants: readonly Variant[] = [
  newKeyOnTimeout,
  failedOnItsWord,
  confirmedOnItsWord,
  refusedOnRepeat,
  olderBlock,
]
