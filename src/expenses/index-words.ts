/**
 * Writes the words of new revisions into the index of the search, outside the requests that bring
 * them. The words commit before the position moves and may be written twice, so a worker that dies
 * has lost nothing. Until then the search looks at the revisions after the position themselves
 * (`listUnindexed`).
 */
import type { Context } from '#context.ts'
import { type JournalStepOutcome, outcomeOf } from '#journal/follower.ts'
import { findReadState } from '#journal/positions.store.ts'
import {
  advanceWordsPosition,
  findJournalEnd,
  findWordsPosition,
  insertWords,
  listExpenseIdsAfter,
  listIndexedOrganizations,
  listWordsEvents,
  type WordsEvent,
  type WordsPosition,
} from './words.store.ts'

type IndexContext = Pick<Context, 'db' | 'observerDb'>

const EVENTS_AT_ONCE = 500
/** Every live stream waits for writing transactions, so each must be short. */
const EXPENSES_AT_ONCE = 100
const BEFORE_EVERY_ID = '00000000-0000-0000-0000-000000000000'

export async function indexWords(ctx: IndexContext): Promise<JournalStepOutcome> {
  const { position: from, hasGap } = await findWordsPosition(ctx.db)
  if (hasGap) return indexAll(ctx, from)
  const [{ isWithheld }, events] = await ctx.observerDb.read({}, (reader) =>
    Promise.all([
      findReadState(reader, from),
      listWordsEvents(reader, { ...from, limit: EVENTS_AT_ONCE }),
    ]),
  )
  const last = events.at(-1)
  const outcome = outcomeOf({ isPart: events.length === EVENTS_AT_ONCE, isWithheld })
  if (!last) return outcome
  for (const [organizationId, expenseIds] of byOrganization(events)) {
    await indexExpenses(ctx, { organizationId, expenseIds })
  }
  const { transactionId, seq } = last
  const to = { epoch: from.epoch, transactionId, seq }
  return (await move(ctx, { from, to })) ? outcome : 'busy'
}

/** After a restore, or when no worker ran for so long that events were pruned. */
async function indexAll(ctx: IndexContext, from: WordsPosition): Promise<JournalStepOutcome> {
  // Read first: what comes during the work is after it.
  const { to, organizations } = await ctx.observerDb.transaction({}, async (tx) => ({
    to: await findJournalEnd(tx),
    organizations: await listIndexedOrganizations(tx),
  }))
  for (const { id } of organizations) await indexOrganization(ctx, id)
  return (await move(ctx, { from, to })) ? 'moved' : 'busy'
}

async function indexOrganization(ctx: IndexContext, organizationId: string): Promise<void> {
  const page = { organizationId, after: BEFORE_EVERY_ID, limit: EXPENSES_AT_ONCE }
  for (;;) {
    const found = await ctx.db.read({ organizationId }, (reader) =>
      listExpenseIdsAfter(reader, page),
    )
    const expenseIds = found.map(({ id }) => id)
    await indexExpenses(ctx, { organizationId, expenseIds })
    const last = expenseIds.at(-1)
    if (last === undefined) return
    page.after = last
  }
}

const move = (
  ctx: IndexContext,
  positions: { from: WordsPosition; to: WordsPosition },
): Promise<boolean> => ctx.db.transaction({}, (tx) => advanceWordsPosition(tx, positions))

function byOrganization(events: readonly WordsEvent[]): Map<string, string[]> {
  const found = new Map<string, Set<string>>()
  for (const { organizationId, expenseId } of events) {
    if (organizationId === null || expenseId === null) continue
    found.set(organizationId, (found.get(organizationId) ?? new Set()).add(expenseId))
  }
  return new Map([...found].map(([organizationId, ids]) => [organizationId, [...ids]]))
}

async function indexExpenses(
  { db }: IndexContext,
  { organizationId, expenseIds }: { organizationId: string; expenseIds: readonly string[] },
): Promise<void> {
  for (let first = 0; first < expenseIds.length; first += EXPENSES_AT_ONCE) {
    const part = expenseIds.slice(first, first + EXPENSES_AT_ONCE)
    await db.transaction({ organizationId }, (tx) =>
      insertWords(tx, { organizationId, expenseIds: part }),
    )
  }
}
