/** Asks the provider to send a persisted attempt: first, or again with the same key. */
import type { SubmitAnswer } from '#ports/executor-provider.ts'
import type { DelegatedAttempt } from './attempt.ts'
import { eventOf } from './judge-delegated.ts'
import type {
  AttemptReport,
  DelegationStore,
  LaneDeps,
  Lease,
  Pass,
  Provider,
  Sending,
  WriteOutcome,
} from './lane.ts'
import { keepLease } from './lease.ts'

type Sendings = readonly Sending<DelegatedAttempt>[]
export type DelegatingPass = Pass & { provider: Provider; delegations: DelegationStore }

/** Right after the insert: no request with these keys has been made before. */
export const delegateFirst = (pass: DelegatingPass, sendings: Sendings): Promise<WriteOutcome> =>
  delegate(pass, sendings, { isFirst: true })

/**
 * Repeats a request only if the vault would still pay. If the vault has paid by now, the payment
 * moves on to search for the proof. Any other revert may be temporary and is checked again in the
 * next pass.
 */
export async function delegateAgain(pass: DelegatingPass, due: Sendings): Promise<WriteOutcome> {
  const { deps, lease, lane, delegations } = pass
  const { token } = lease
  const preflights = await Promise.all(
    due.map(({ payment }) => deps.chain.preflight({ from: lane.address, call: payment.call })),
  )
  const retries: Sending<DelegatedAttempt>[] = []
  for (const [index, sending] of due.entries()) {
    const { payment } = sending
    const preflight = preflights[index]
    if (preflight?.outcome === 'passes') retries.push(sending)
    if (preflight?.outcome !== 'reverts' || payment.state === 'reconciling') continue
    if (preflight.code !== 'payment_already_executed') continue
    if ((await deps.store.lose({ token, payment })) === 'stale') return 'stale'
  }
  if (retries.length === 0) return 'done'
  // Recorded before the request, so that a worker after a crash does not repeat it too soon.
  if ((await delegations.recordRetries({ token, retries })) === 'stale') return 'stale'
  return delegate(pass, retries, { isFirst: false })
}

async function delegate(
  { deps, lease, provider, delegations }: DelegatingPass,
  sendings: Sendings,
  { isFirst }: { isFirst: boolean },
): Promise<WriteOutcome> {
  if (sendings.length === 0) return 'done'
  if (!(await keepLease(deps, lease))) return 'stale'
  const answers = await whileLeased({ deps, lease, provider }, (signal) =>
    Promise.all(sendings.map((sending) => ask(provider, sending, signal))),
  )
  const reports = sendings.map((sending, index): AttemptReport => {
    const report = reportOf(answers[index], isFirst)
    const event = report && eventOf(sending.payment.state, report.status)
    return { ...sending, report, reportedBlock: null, wasAsked: true, event }
  })
  return delegations.recordReports({ token: lease.token, reports })
}

/** Undefined: the provider may or may not have received the request. */
async function ask(
  { submit }: Provider,
  { payment: { call }, attempt: { idempotencyKey } }: Sending<DelegatedAttempt>,
  signal: AbortSignal,
): Promise<SubmitAnswer | undefined> {
  const ended = new Promise<undefined>((resolve) => {
    if (signal.aborted) resolve(undefined)
    else signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })
  const answer = submit({ idempotencyKey, call, signal }).catch(() => undefined)
  return Promise.race([answer, ended])
}

/**
 * A refusal means that this request created nothing; an earlier request with the same key may have.
 * So only the first refusal counts.
 */
function reportOf(answer: SubmitAnswer | undefined, isFirst: boolean): AttemptReport['report'] {
  if (answer?.outcome === 'reported') {
    const { state: status, providerReference, transactionHash, code } = answer
    return { status, providerReference, transactionHash, code }
  }
  if (answer === undefined || !isFirst) return null
  return { status: 'refused', providerReference: null, transactionHash: null, code: answer.code }
}

const RENEWALS_PER_LEASE = 4

/** Renews the lease while the work runs, and aborts the work if the lease is lost. */
async function whileLeased<T>(
  { deps, lease, provider }: { deps: LaneDeps; lease: Lease; provider: Provider },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = new AbortController()
  const lost = new AbortController()
  const renewMs = deps.settings.leaseMs / RENEWALS_PER_LEASE
  const renew = async () => {
    await provider.pause(renewMs, over.signal)
    while (!over.signal.aborted) {
      // If the database does not answer, the next renewal tries again.
      const isOurs = await keepLease(deps, lease).catch(() => true)
      if (!isOurs) return lost.abort()
      await provider.pause(renewMs, over.signal)
    }
  }
  const renewing = renew()
  try {
    return await work(AbortSignal.any([provider.stopping, lost.signal]))
  } finally {
    over.abort()
    await renewing
  }
}
