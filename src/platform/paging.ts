/** Keyset pagination, newest first, by the id of the last item: ids increase with time. */
import { isUuid } from '@countersign/proof/values.ts'
import { AppError } from './errors.ts'
import { Type } from './schema.ts'
import { extension, urlSafeToken } from './values.ts'

const LIMIT_DEFAULT = 100
const LIMIT_MAX = 200

export const NextCursor = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  description: 'Send it as `cursor` to get the next page. Null on the last page',
  ...extension,
})

export const PageQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LIMIT_MAX,
      default: LIMIT_DEFAULT,
      description: 'The largest number of items on a page',
      ...extension,
    }),
  ),
  cursor: Type.Optional(
    urlSafeToken({
      minLength: 22,
      maxLength: 22,
      description: '`nextCursor` of the page before. Left out: the first page, with the newest',
      ...extension,
    }),
  ),
})

export type Page = { limit: number; beforeId: string }
export type Paged<Item> = { items: Item[]; nextCursor: string | null }

/** Greater than every id: the start of a list. */
export const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** Continues after the item with this id. */
export const cursorAfter = (id: string): string =>
  Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url')

function decodeCursor(cursor: string): string | undefined {
  const hex = Buffer.from(cursor, 'base64url').toString('hex')
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  return isUuid(id) ? id : undefined
}

export function readPage({ limit, cursor }: { limit?: number; cursor?: string }): Page {
  const beforeId = cursor === undefined ? LAST_ID : decodeCursor(cursor)
  if (beforeId === undefined) {
    throw new AppError('validation_failed', {
      message: '`cursor` in the query must be a cursor from an earlier answer.',
    })
  }
  return { limit: limit ?? LIMIT_DEFAULT, beforeId }
}

/** Stores read one row more than the limit, to detect whether there is a next page. */
export function toPaged<Item>(
  rows: readonly Item[],
  { limit, idOf }: { limit: number; idOf: (item: Item) => string },
): Paged<Item> {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  const nextCursor = rows.length > limit && last !== undefined ? cursorAfter(idOf(last)) : null
  return { items, nextCursor }
}
