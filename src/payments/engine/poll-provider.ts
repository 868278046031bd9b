/** Asks the provider how what was entrusted to it stands, and writes down what is new. */
import type { EntrustedReport } from '#ports/executor-provider.ts'
import type { EntrustedAttempt } from './attempt.ts'
import { eventOf, isDone, isOver } from './judge-delegated.ts'
import type { DelegationStore, Heard, Lane, LanePayment, Pass, Provider, Sending } from './lane.ts'
import { keepLease } from './lease.ts'

/** By payment; silence is no answer. */
export type Reports = ReadonlyMap<string, EntrustedReport>

export const entrustedOf = ({ attempts }: LanePayment): EntrustedAttempt | undefined => {
  const last = attempts.at(-1)
  return last?.kind === 'entrusted' ? last : undefined
}

const sendingsOf = ({ unsettled }: Lane): Sending<EntrustedAttempt>[] =>
  unsettled.flatMap((payment) => {
    const attempt = entrustedOf(payment)
    return attempt ? [{ payment, attempt }] : []
  })

export async function askProvider({ poll }: Provider, lane: Lane): Promise<Reports> {
  const reports = new Map<string, EntrustedReport>()
  if (!poll) return reports
  await Promise.all(
    sendingsOf(lane).map(async ({ payment, attempt: { providerReference, word, heardBlock } }) => {
      // Once it is over it is asked once more, for the reason; then it is the chain's to tell.
      const isToldAll = isOver(word) && heardBlock !== null
      if (providerReference === null || isToldAll) return
      const report = await poll({ providerReference }).catch(() => undefined)
      if (report) reports.set(payment.id, report)
    }),
  )
  return reports
}

/**
 * In return the payments of which there is no news: only they are judged, for the others are no
 * longer as they were loaded. `pass.view` is of after the reports.
 */
export async function hearProvider(
  pass: Pass & { delegations: DelegationStore },
  reports: Reports,
): Promise<LanePayment[] | 'stale'> {
  const { world, lease, lane, delegations } = pass
  const words = sendingsOf(lane).flatMap((sending) => {
    const heard = newsOf(pass, sending, reports.get(sending.payment.id))
    return heard ? [heard] : []
  })
  if (words.length > 0) {
    if (!(await keepLease(world, lease))) return 'stale'
    const written = await delegations.recordWords({ fence: lease.fence, words })
    if (written === 'stale') return 'stale'
  }
  return lane.unsettled.filter((payment) => !words.some((heard) => heard.payment === payment))
}

/** The same word again is written down now and then, so that nobody takes it for silence. */
const WRITTEN_TIMES = 4

function newsOf(
  { world: { settings }, lane: { nowMs }, view }: Pass,
  sending: Sending<EntrustedAttempt>,
  report: EntrustedReport | undefined,
): Heard | undefined {
  const { payment, attempt } = sending
  const word = report?.state ?? attempt.word
  if (word === null) return undefined
  const providerReference = report?.providerReference ?? attempt.providerReference
  const transactionHash = report?.transactionHash ?? attempt.transactionHash
  const isChanged =
    word !== attempt.word ||
    providerReference !== attempt.providerReference ||
    transactionHash !== attempt.transactionHash
  // The head was seen after the word, however long ago that was said.
  const headNumber = isDone(word) && view.outcome === 'seen' ? view.headNumber : null
  const heardBlock = isChanged ? headNumber : (attempt.heardBlock ?? headNumber)
  const event = report ? eventOf(payment.state, word) : null
  const isOld =
    report !== undefined && nowMs - (attempt.heardAtMs ?? 0) >= settings.loseAfterMs / WRITTEN_TIMES
  if (!isChanged && !isOld && event === null && heardBlock === attempt.heardBlock) return undefined
  const code = report?.code ?? null
  return {
    ...sending,
    report: { word, providerReference, transactionHash, code },
    heardBlock,
    wasAsked: false,
    event,
  }
}
