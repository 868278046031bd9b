/**
 * Which live events the page does not show yet. Told apart by their ids: clocks differ, and changes
 * are not committed in the order of their times. Pure.
 */

type Event = { id: string; occurredAt: string }

export type Read = { isFetching: boolean; dataUpdatedAt: number }

export type News<E extends Event> = Read & {
  /** Ids at hand when the read that is under way began. Null without one, or without a snapshot. */
  asked: ReadonlySet<string> | null
  /** Ids at hand when the data on the page was asked for. */
  known: ReadonlySet<string> | null
  /** About the page, newest first. Kept, because a snapshot lists only the latest. */
  events: readonly E[]
}

export const NO_NEWS: News<never> = {
  isFetching: false,
  dataUpdatedAt: 0,
  asked: null,
  known: null,
  events: [],
}

type Now<E extends Event> = {
  read: Read
  /** The events of the live snapshot, newest first. Null before the first snapshot. */
  latest: readonly E[] | null
  isAbout(event: E): boolean
}

/** The same object if nothing has changed. A read that fails leaves the news of the one before. */
export function followNews<E extends Event>(news: News<E>, { read, latest, isAbout }: Now<E>) {
  const { isFetching, dataUpdatedAt } = read
  const before: News<E> = dataUpdatedAt < news.dataUpdatedAt ? NO_NEWS : news
  const added = (latest ?? []).filter(
    (event) => isAbout(event) && !before.events.some(({ id }) => id === event.id),
  )
  const events = added.length > 0 ? [...added, ...before.events] : before.events
  const atHand = latest && new Set([...latest, ...events].map(({ id }) => id))
  const begins = isFetching && !before.isFetching
  const asked = begins ? atHand : isFetching ? (before.asked ?? atHand) : null
  const known = (dataUpdatedAt === before.dataUpdatedAt ? before.known : before.asked) ?? atHand
  const next: News<E> = { isFetching, dataUpdatedAt, asked, known, events }
  const isSame = (Object.keys(next) as (keyof News<E>)[]).every((key) => next[key] === news[key])
  return isSame ? news : next
}

/**
 * `ownChangeAt`: when the reader changed what the page is about, by the service's clock. The page
 * has been read since, so the event of that change, the first one after it, is no news.
 */
export function unreadNews<E extends Event>(
  { dataUpdatedAt, known, events }: News<E>,
  ownChangeAt?: string,
): E[] {
  if (dataUpdatedAt === 0) return []
  const own =
    ownChangeAt &&
    events.findLast(({ occurredAt }) => Date.parse(occurredAt) >= Date.parse(ownChangeAt))
  return events.filter((event) => !known?.has(event.id) && event !== own)
}
