/** Polls the provider about delegated attempts, and stores reports that are new. */
import type { ProviderReport } from '#ports/executor-provider.ts'
import type { DelegatedAttempt } from './attempt.ts'
import { eventOf, isDone, isOver } from './judge-delegated.ts'
import type {
  AttemptReport,
  DelegationStore,
  Lane,
  LanePayment,
  Pass,
  Provider,
  Sending,
} from './lane.ts'
import { keepLease } from './lease.ts'

/** By payment id. A payment without an answer is missing. */
export type ProviderReports = ReadonlyMap<string, ProviderReport>

export const delegatedOf = ({ attempts }: LanePayment): DelegatedAttempt | undefined => {
  const last = attempts.at(-1)
  return last?.kind === 'entrusted' ? last : undefined
}

const sendingsOf = ({ unsettled }: Lane): Sending<DelegatedAttempt>[] =>
  unsettled.flatMap((payment) => {
    const attempt = delegatedOf(payment)
    return attempt ? [{ payment, attempt }] : []
  })

export async function pollProvider({ poll }: Provider, lane: Lane): Promise<ProviderReports> {
  const reports = new Map<string, ProviderReport>()
  if (!poll) return reports
  await Promise.all(
    sendingsOf(lane).map(
      async ({ payment, attempt: { providerReference, status, reportedBlock } }) => {
        // After an end status one more poll fetches the reason. After that the chain decides.
        const isFullyReported = isOver(status) && reportedBlock !== null
        if (providerReference === null || isFullyReported) return
        const report = await poll({ providerReference }).catch(() => undefined)
        if (report) reports.set(payment.id, report)
      },
    ),
  )
  return reports
}

/**
 * Returns the payments without a new report. Only these are judged in this pass, because the others
 * have changed since they were loaded. `pass.view` must be read after the poll.
 */
export async function recordProviderReports(
  pass: Pass & { delegations: DelegationStore },
  polled: ProviderReports,
): Promise<LanePayment[] | 'stale'> {
  const { deps, lease, lane, delegations } = pass
  const reports = sendingsOf(lane).flatMap((sending) => {
    const report = newReport(pass, sending, polled.get(sending.payment.id))
    return report ? [report] : []
  })
  if (reports.length > 0) {
    if (!(await keepLease(deps, lease))) return 'stale'
    const written = await delegations.recordReports({ token: lease.token, reports })
    if (written === 'stale') return 'stale'
  }
  return lane.unsettled.filter((payment) => !reports.some((report) => report.payment === payment))
}

/** An unchanged report is stored again this often per `loseAfterMs`, to tell it from silence. */
const REFRESHES = 4

function newReport(
  { deps: { settings }, lane: { nowMs }, view }: Pass,
  sending: Sending<DelegatedAttempt>,
  report: ProviderReport | undefined,
): AttemptReport | undefined {
  const { payment, attempt } = sending
  const status = report?.state ?? attempt.status
  if (status === null) return undefined
  const providerReference = report?.providerReference ?? attempt.providerReference
  const transactionHash = report?.transactionHash ?? attempt.transactionHash
  const isChanged =
    status !== attempt.status ||
    providerReference !== attempt.providerReference ||
    transactionHash !== attempt.transactionHash
  // The head was read after the report, so everything the provider had done is below it.
  const headNumber = isDone(status) && view.outcome === 'seen' ? view.headNumber : null
  const reportedBlock = isChanged ? headNumber : (attempt.reportedBlock ?? headNumber)
  const event = report ? eventOf(payment.state, status) : null
  const isOld =
    report !== undefined && nowMs - (attempt.reportedAtMs ?? 0) >= settings.loseAfterMs / REFRESHES
  if (!isChanged && !isOld && event === null && reportedBlock === attempt.reportedBlock)
    return undefined
  const code = report?.code ?? null
  return {
    ...sending,
    report: { status, providerReference, transactionHash, code },
    reportedBlock,
    wasAsked: false,
    event,
  }
}
