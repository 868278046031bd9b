/** The stream of all organizations. It outdates no read: operators decide what to read again. */
import { LiveStream, type Outdated, useLive } from '@countersign/app-kit/data/live.tsx'
import type { LiveSnapshot } from '@countersign/client/live.ts'
import type { ReactNode } from 'react'

const NOTHING: Outdated = {}

type Props = { accountId: string; children: ReactNode }

export const OperatorLive = ({ accountId, children }: Props) => (
  <LiveStream organizationId={null} accountId={accountId} outdated={NOTHING}>
    {children}
  </LiveStream>
)

export type OperatorTask = LiveSnapshot['tasks'][number]
export type OperatorEvent = LiveSnapshot['events'][number]
export type ServiceState = LiveSnapshot['services'][number]

/** What happened after `since` that the page does not show yet. */
export function useNews(
  since: number,
  isAbout: (event: OperatorEvent) => boolean,
): OperatorEvent[] {
  const { snapshot } = useLive()
  if (since === 0) return []
  return (snapshot?.events ?? []).filter(
    (event) => new Date(event.occurredAt).getTime() > since && isAbout(event),
  )
}

/** Such as production. Null until the first snapshot has come. */
export const useEnvironment = (): string | null =>
  useLive().snapshot?.services.find(({ environment }) => environment)?.environment ?? null
