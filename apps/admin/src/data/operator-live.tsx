/** The stream of all organizations. It outdates no read: operators decide what to read again. */
import { LiveStream, type Outdated, useLive } from '@countersign/app-kit/data/live.tsx'
import type { LiveSnapshot } from '@countersign/client/live.ts'
import { type ReactNode, useState } from 'react'
import { followNews, type News, NO_NEWS, type Read, unreadNews } from './news.ts'

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

/** What happened since `read` began, and that the page may not show yet. */
export function useNews(
  read: Read,
  isAbout: (event: OperatorEvent) => boolean,
  ownChangeAt?: string,
): OperatorEvent[] {
  const { snapshot } = useLive()
  const [news, setNews] = useState<News<OperatorEvent>>(NO_NEWS)
  const next = followNews(news, { read, latest: snapshot?.events ?? null, isAbout })
  if (next !== news) setNews(next)
  return unreadNews(next, ownChangeAt)
}

/** Such as production. Null until the first snapshot has come. */
export const useEnvironment = (): string | null =>
  useLive().snapshot?.services.find(({ environment }) => environment)?.environment ?? null
