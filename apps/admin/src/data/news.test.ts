import { expect, test } from 'vitest'
import { followNews, type News, NO_NEWS, unreadNews } from './news.ts'

type Event = { id: string; about: string; occurredAt: string }
type Page = { news: News<Event>; latest: Event[] | null; about: string }

const event = (id: string, occurredAt = '2026-11-03T11:00:00Z', about = 'one'): Event => ({
  id,
  about,
  occurredAt,
})

const show = (page: Page, read: { isFetching: boolean; dataUpdatedAt: number }): Page => {
  const isAbout = ({ about }: Event) => about === page.about
  return { ...page, news: followNews(page.news, { read, latest: page.latest, isAbout }) }
}
const again = (page: Page): Page => show(page, page.news)
const hear = (page: Page, ...latest: Event[]): Page => again({ ...page, latest })
const begin = (page: Page): Page => show(page, { ...page.news, isFetching: true })
const arrive = (page: Page): Page =>
  show(page, { isFetching: false, dataUpdatedAt: page.news.dataUpdatedAt + 1 })
const fail = (page: Page): Page => show(page, { ...page.news, isFetching: false })
const idsOf = ({ news }: Page, ownChangeAt?: string) =>
  unreadNews(news, ownChangeAt).map(({ id }) => id)

const opened = (...latest: Event[]): Page => ({ news: NO_NEWS, latest, about: 'one' })
const page = arrive(begin(opened(event('old'))))

test('what was known before the read began is old, and everything after is news', () => {
  expect(idsOf(page)).toEqual([])
  expect(idsOf(hear(page, event('new'), event('old')))).toEqual(['new'])
  expect(idsOf(hear(page, event('else', undefined, 'another'), event('old')))).toEqual([])
})

test('the times of the events do not matter', () => {
  const late = event('late', '2000-01-01T00:00:00Z')
  expect(idsOf(hear(page, late, event('old')))).toEqual(['late'])
  const early = arrive(begin(opened(event('early', '2999-01-01T00:00:00Z'))))
  expect(idsOf(early)).toEqual([])
})

test('what comes while the page is read may be missing from it, so it is news', () => {
  const reading = hear(begin(page), event('new'), event('old'))
  expect(idsOf(arrive(reading))).toEqual(['new'])
  expect(idsOf(arrive(begin(arrive(reading))))).toEqual([])
})

test('a read that fails leaves the news', () => {
  const failed = fail(begin(hear(page, event('new'), event('old'))))
  expect(idsOf(failed)).toEqual(['new'])
  expect(idsOf(arrive(begin(failed)))).toEqual([])
})

test('events of the first snapshot are old, also if the page was read before it came', () => {
  const early = begin({ ...opened(), latest: null })
  const during = hear(early, event('old'))
  expect(idsOf(hear(arrive(during), event('new'), event('old')))).toEqual(['new'])
  const after = hear(arrive(early), event('old'))
  expect(idsOf(after)).toEqual([])
  expect(idsOf(hear(after, event('new'), event('old')))).toEqual(['new'])
})

test('news stay until the next read, also when snapshots list them no longer', () => {
  const pushedOut = hear(
    hear(page, event('new'), event('old')),
    event('else', undefined, 'another'),
  )
  expect(idsOf(pushedOut)).toEqual(['new'])
  expect(idsOf(arrive(begin(pushedOut)))).toEqual([])
})

test('a page about something else begins anew', () => {
  const left = { ...hear(page, event('new'), event('old')), about: 'another' }
  const other = show(left, { isFetching: true, dataUpdatedAt: 0 })
  expect(idsOf(other)).toEqual([])
  const { events } = arrive(other).news
  expect(events).toEqual([])
})

test("the reader's own change is no news, and everybody else's is", () => {
  const sentAt = '2026-11-03T11:00:00.500Z'
  const own = event('own', '2026-11-03T11:00:00.503Z')
  const reply = event('reply', '2026-11-03T11:00:09Z')
  const read = arrive(begin(page))
  expect(idsOf(hear(read, own, event('old')), sentAt)).toEqual([])
  expect(idsOf(hear(read, reply, own, event('old')), sentAt)).toEqual(['reply'])
  const heardBefore = arrive(begin(hear(page, own, event('old'))))
  expect(idsOf(hear(heardBefore, reply, own), sentAt)).toEqual(['reply'])
})

test('nothing changes while nothing happens', () => {
  expect(again(page).news).toBe(page.news)
  const reading = begin(page)
  expect(again(reading).news).toBe(reading.news)
})
