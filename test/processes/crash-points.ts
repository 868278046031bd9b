/**
 * Points where a worker may die between taking a payment's job and ending it, in order. Each is a
 * statement or call that never arrives, or whose answer does not.
 */
import type { RpcCall } from '#test/chain/rpc-proxy.ts'
import type { Asked, Cut } from './postgres-tap.ts'

/** How the database and the chain identify the payment. */
export type Mark = {
  organizationId: string
  executor: string
  vault: string
  chainPaymentId: string
  /** What has been sent for it so far. */
  hashes: string[]
}

/** An action of a worker. A call is observed twice, before and after its answer. */
export type Happening =
  | { of: 'database'; asked: Asked }
  | { of: 'chain'; call: RpcCall; answer?: unknown }

type Hears = (happening: Happening, mark: Mark) => boolean

export type Point = {
  name: string
  cut: Cut
  hears: Hears
  /** What the same worker must have done before. */
  after?: Hears
  /**
   * The stored state of the payment and its attempts then; several where another worker continues.
   */
  books: readonly string[]
}

const statement =
  (text: RegExp): Hears =>
  (happening, { organizationId }) =>
    happening.of === 'database' &&
    happening.asked.texts.some((one) => text.test(one)) &&
    happening.asked.transaction.values.includes(organizationId)

const commitOf =
  (text: RegExp): Hears =>
  (happening, { organizationId }) => {
    if (happening.of !== 'database') return false
    const { texts, transaction } = happening.asked
    const isIts = transaction.values.includes(organizationId)
    return isIts && texts.includes('commit') && transaction.texts.some((one) => text.test(one))
  }

const anybodys =
  (text: RegExp): Hears =>
  (happening) =>
    happening.of === 'database' && happening.asked.texts.some((one) => text.test(one))

const call =
  (method: string, names: (mark: Mark) => readonly string[] = () => ['']): Hears =>
  (happening, mark) => {
    if (happening.of !== 'chain' || happening.call.method !== method) return false
    const said = JSON.stringify(happening.call.params).toLowerCase()
    return names(mark).some((name) => said.includes(name))
  }

const executor = (mark: Mark) => [mark.executor]
const vault = (mark: Mark) => [mark.vault.slice(2)]
const hashes = (mark: Mark) => mark.hashes

const logIsRead: Hears = (happening, { chainPaymentId }) =>
  happening.of === 'chain' &&
  happening.call.method === 'eth_getLogs' &&
  JSON.stringify(happening.answer ?? '').includes(chainPaymentId)

const CLAIM = /set lane_epoch = lane_epoch \+ 1/
const ATTEMPT = /insert into payment_attempts/
const SENT = /update payment_attempts set sent_at/
const APPLIED = /insert into vault_payments/
const RECEIPT = /insert into payment_receipts/
const ACTIVATION = /insert into activation_attempts/
const LET_GO = /update executor_bindings\s+set lease_until/
const JOB_ENDED = /delete from "graphile_worker"\._private_jobs/

const queued = { books: ['queued'] }
const submitting = { books: ['submitting written'] }
const broadcast = { books: ['broadcast sent'] }
const confirmed = { books: ['confirmed mined'] }
/** The follower dies, which may be another process than the one that works the lane. */
const anyOf = { books: ['submitting written', 'broadcast sent', 'confirmed mined'] }

const asked = (name: string, hears: Hears, then: Pick<Point, 'books' | 'after'>): Point => ({
  ...{ name, cut: 'asked', hears },
  ...then,
})
const answered = (name: string, hears: Hears, then: Pick<Point, 'books' | 'after'>): Point => ({
  ...{ name, cut: 'answered', hears },
  ...then,
})

/** Numbered from 1. */
export const POINTS: readonly Point[] = [
  asked('the job is taken, the lane not claimed', statement(CLAIM), queued),
  answered('claimed, and it does not know', commitOf(CLAIM), queued),
  asked('the lane is read, the chain not asked', call('eth_getTransactionCount', executor), queued),
  asked('the nonce is known, the fees are not', call('eth_maxPriorityFeePerGas'), {
    ...queued,
    after: call('eth_getTransactionCount', executor),
  }),
  answered('tried out, nothing signed', call('eth_call', executor), queued),
  asked('signed, nothing written', statement(ATTEMPT), queued),
  answered('written, no nonce taken', statement(ATTEMPT), queued),
  asked('the nonce taken, nothing committed', commitOf(ATTEMPT), queued),
  answered('on record, and it does not know', commitOf(ATTEMPT), submitting),
  asked('on record, not sent', call('eth_sendRawTransaction', vault), submitting),
  answered('sent, the answer lost', call('eth_sendRawTransaction', vault), submitting),
  asked('accepted, nothing noted', statement(SENT), submitting),
  asked('noted, not committed', commitOf(SENT), submitting),
  answered('broadcast, and it does not know', commitOf(SENT), broadcast),
  answered('the vault’s log is read, not applied', logIsRead, anyOf),
  asked('the log is applied, not committed', commitOf(APPLIED), anyOf),
  answered('the log is in the books, and it does not know', commitOf(APPLIED), anyOf),
  answered('the receipt is seen', call('eth_getTransactionReceipt', hashes), broadcast),
  asked('judged, nothing written', statement(RECEIPT), broadcast),
  asked('the confirmation written, not committed', commitOf(RECEIPT), broadcast),
  answered('confirmed, and it does not know', commitOf(RECEIPT), confirmed),
  asked('confirmed, the lane not let go', statement(LET_GO), {
    ...confirmed,
    after: commitOf(RECEIPT),
  }),
  asked('confirmed, the job not ended', anybodys(JOB_ENDED), {
    ...confirmed,
    after: commitOf(RECEIPT),
  }),
]

/** Of the activation of a policy, which no payment's id marks. */
export const ACTIVATION_POINTS: readonly Point[] = [
  asked('signed, nothing committed', commitOf(ACTIVATION), { books: ['queued'] }),
  answered('on record, and it does not know', commitOf(ACTIVATION), { books: ['submitting'] }),
  asked('on record, not sent', call('eth_sendRawTransaction', vault), { books: ['submitting'] }),
  answered('sent, the answer lost', call('eth_sendRawTransaction', vault), {
    books: ['submitting'],
  }),
]
