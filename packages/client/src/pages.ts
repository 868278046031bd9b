/** Lists in pages, as async iteration. */
import type { Client } from './client.ts'
import { transportFailure } from './errors.ts'
import type { CallInput, DataOf, ItemOf, ListId } from './operation-types.ts'
import { OPERATIONS } from './operations.ts'
import { RequestFailed, type Result } from './result.ts'

export type Page<Id extends ListId> = {
  items: ItemOf<Id>[]
  /** Pass it as `query.cursor` to continue later. Null on the last page. */
  nextCursor: string | null
  /** The answer as it came, with everything besides the list. */
  data: DataOf<Id>
}

type AnyResult = Result<unknown>

/** Page by page. The iteration ends after the last page or after the first failure. */
export async function* pages<Id extends ListId>(
  client: Client,
  id: Id,
  input: CallInput<Id>,
): AsyncGenerator<Result<Page<Id>>, void, undefined> {
  const call = client.call as unknown as (id: ListId, input: object) => Promise<AnyResult>
  const { query = {}, ...rest } = input as { query?: Record<string, unknown> }
  const seen = new Set<unknown>()
  let cursor = query.cursor
  for (;;) {
    seen.add(cursor)
    const result = await call(id, {
      ...rest,
      query: { ...query, ...(cursor === undefined ? {} : { cursor }) },
    })
    if (!result.ok) return void (yield result)
    const page = pageOf(id, result.data, result.headers)
    if (page === null || seen.has(page.nextCursor)) {
      const about = { status: result.status, mayHaveTakenEffect: false, cause: result.data }
      const failure = transportFailure('unexpected_response', about)
      return void (yield { ok: false, failure, attempts: result.attempts })
    }
    yield { ...result, data: page }
    if (page.nextCursor === null) return
    cursor = page.nextCursor
  }
}

/** Item by item. Throws `RequestFailed` at the first failure. */
export async function* items<Id extends ListId>(
  client: Client,
  id: Id,
  input: CallInput<Id>,
): AsyncGenerator<ItemOf<Id>, void, undefined> {
  for await (const page of pages(client, id, input)) {
    if (!page.ok) throw new RequestFailed(page.failure)
    yield* page.data.items
  }
}

function pageOf<Id extends ListId>(id: Id, data: unknown, headers: Headers): Page<Id> | null {
  const { list }: { list: string | null } = OPERATIONS[id]
  const fields = data as Record<string, unknown>
  const found = list === null ? data : fields?.[list]
  if (!Array.isArray(found)) return null
  const next = list === null ? cursorInLink(headers.get('link')) : fields.nextCursor
  return { items: found, nextCursor: (next as string | null) ?? null, data: data as DataOf<Id> }
}

/** `</path?limit=2&cursor=abc>; rel="next"` (RFC 8288). */
function cursorInLink(link: string | null): string | null {
  const target = /<([^>]*)>\s*;\s*rel="?next"?/.exec(link ?? '')?.[1]
  return target === undefined ? null : new URL(target, 'http://link').searchParams.get('cursor')
}
