/** Asks the provider to send what is on record, for the first time or again with the same key. */
import type { EntrustAnswer } from '#ports/executor-provider.ts'
import type { EntrustedAttempt } from './attempt.ts'
import { eventOf } from './judge-delegated.ts'
import type {
  DelegationStore,
  Heard,
  LaneWorld,
  Lease,
  Pass,
  Provider,
  Sending,
  Written,
} from './lane.ts'

import { keepLease } from './lease.ts'

type Sendings = readonly Sending<EntrustedAttempt>[]
export type DelegatingPass = Pass & { provider: Provider; delegations: DelegationStore }

/** Straight after it was written: nobody was asked with these keys before. */
export const entrustFirst = (pass: DelegatingPass, sendings: Sendings): Promise<Written> =>
  entrust(pass, sendings, { isFirst: true })

/**
 * Only what the vault would still pay is asked for again. If it has been paid by now, our own
 * success is looked for; whatever else the vault would refuse may be over by the next look.
 */
export async function entrustAgain(pass: DelegatingPass, due: Sendings): Promise<Written> {
  const { world, lease, lane, delegations } = pass
  const { fence } = lease
  const preflights = await Promise.all(
    due.map(({ payment }) => world.chain.preflight({ from: lane.address, call: payment.call })),
  )
  const tries: Sending<EntrustedAttempt>[] = []
  for (const [index, sending] of due.entries()) {
    const { payment } = sending
    const preflight = preflights[index]
    if (preflight?.outcome === 'passes') tries.push(sending)
    if (preflight?.outcome !== 'reverts' || payment.state === 'reconciling') continue
    if (preflight.code !== 'payment_already_executed') continue
    if ((await world.store.lose({ fence, payment })) === 'stale') return 'stale'
  }
  if (tries.length === 0) return 'done'
  // On record before it is asked: who comes after a crash must not ask too soon.
  if ((await delegations.recordTries({ fence, tries })) === 'stale') return 'stale'
  return entrust(pass, tries, { isFirst: false })
}

async function entrust(
  { world, lease, provider, delegations }: DelegatingPass,
  sendings: Sendings,
  { isFirst }: { isFirst: boolean },
): Promise<Written> {
  if (sendings.length === 0) return 'done'
  if (!(await keepLease(world, lease))) return 'stale'
  const answers = await whileLeased({ world, lease, provider }, (signal) =>
    Promise.all(sendings.map((sending) => ask(provider, sending, signal))),
  )
  const words = sendings.map((sending, index): Heard => {
    const report = reportOf(answers[index], isFirst)
    const event = report && eventOf(sending.payment.state, report.word)
    return { ...sending, report, heardBlock: null, wasAsked: true, event }
  })
  return delegations.recordWords({ fence: lease.fence, words })
}

/** Undefined: nobody can tell whether it has it. */
async function ask(
  { submit }: Provider,
  { payment: { call }, attempt: { idempotencyKey } }: Sending<EntrustedAttempt>,
  signal: AbortSignal,
): Promise<EntrustAnswer | undefined> {
  const ended = new Promise<undefined>((resolve) => {
    if (signal.aborted) resolve(undefined)
    else signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })
  const answer = submit({ idempotencyKey, call, signal }).catch(() => undefined)
  return Promise.race([answer, ended])
}

/** A refusal: this request made nothing. Of an earlier one with the same key it says nothing. */
function reportOf(answer: EntrustAnswer | undefined, isFirst: boolean): Heard['report'] {
  if (answer?.outcome === 'reported') {
    const { state: word, providerReference, transactionHash, code } = answer
    return { word, providerReference, transactionHash, code }
  }
  if (answer === undefined || !isFirst) return null
  return { word: 'refused', providerReference: null, transactionHash: null, code: answer.code }
}

const BEATS_PER_LEASE = 4

/** The lane stays ours while the work takes its time; when it does not, nobody waits any more. */
async function whileLeased<T>(
  { world, lease, provider }: { world: LaneWorld; lease: Lease; provider: Provider },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = new AbortController()
  const lost = new AbortController()
  const beat = async () => {
    await provider.pause(world.settings.leaseMs / BEATS_PER_LEASE, over.signal)
    while (!over.signal.aborted) {
      // A database that does not answer may do so at the next beat.
      const isOurs = await keepLease(world, lease).catch(() => true)
      if (!isOurs) return lost.abort()
      await provider.pause(world.settings.leaseMs / BEATS_PER_LEASE, over.signal)
    }
  }
  const beating = beat()
  try {
    return await work(AbortSignal.any([provider.stopping, lost.signal]))
  } finally {
    over.abort()
    await beating
  }
}
