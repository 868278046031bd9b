import { isUuid } from '@countersign/proof/values.ts'
import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import { validatorCompiler } from '#http/validators.ts'
import { AppError } from './errors.ts'
import { PageQuery, readPage, toPaged } from './paging.ts'

const uuid = fc.uuid({ version: [1, 2, 3, 4, 5, 6, 7, 8] })
const idOf = (id: string) => id

const cursorAfter = (id: string): string => {
  const { nextCursor } = toPaged([id, 'one more'], { limit: 1, idOf })
  if (nextCursor === null) throw new Error('There is no next page')
  return nextCursor
}

const refusalOf = (cursor: string): string => {
  try {
    readPage({ cursor })
    return 'none'
  } catch (error) {
    return error instanceof AppError ? error.code : String(error)
  }
}

const validate = validatorCompiler({
  schema: PageQuery,
  httpPart: 'querystring',
  method: 'GET',
  url: '/',
})

/** What the handler sees of a query, or `refused`. */
const parsed = (query: Record<string, unknown>): unknown => {
  const data = { ...query }
  return validate(data) === true ? data : 'refused'
}

describe('a page', () => {
  test('without a query starts at the newest and has 100 items', () => {
    expect(readPage({})).toEqual({ limit: 100, beforeId: 'ffffffff-ffff-ffff-ffff-ffffffffffff' })
  })

  test('has the requested number of items', () => {
    expect(readPage({ limit: 7 }).limit).toBe(7)
  })
})

describe('a cursor', () => {
  property.prop([uuid])('decodes to the id it was made from', (id) => {
    const cursor = cursorAfter(id)
    expect(readPage({ cursor })).toEqual({ limit: 100, beforeId: id })
    expect(parsed({ cursor })).toMatchObject({ cursor })
  })

  test.each([
    ['', 'empty'],
    ['abc', 'too short'],
    ['!!!!!!!!!!!!!!!!!!!!!!', 'not base64url'],
    ['AAAAAAAAAAAAAAAAAAAAAQ', 'an id that is not a UUID'],
    ['0190a1b2-c3d4-7567-8abc-def012345678', 'the id itself'],
    [`${cursorAfter('0190a1b2-c3d4-7567-8abc-def012345678')}AAAA`, 'too long'],
  ])('%j is refused with 400 validation_failed: %s', (cursor) => {
    expect(refusalOf(cursor)).toBe('validation_failed')
  })

  property.prop([fc.string({ unit: 'binary', maxLength: 40 })])(
    'that is any other string is refused with 400 or decodes to a UUID',
    (garbage) => {
      const refusal = refusalOf(garbage)
      expect(['none', 'validation_failed']).toContain(refusal)
      if (refusal === 'none') expect(isUuid(readPage({ cursor: garbage }).beforeId)).toBe(true)
    },
  )

  test('is not repeated in the error message', () => {
    expect(() => readPage({ cursor: '<script>' })).toThrow('`cursor` in the query must be')
  })
})

describe('toPaged', () => {
  const ids = ['0190a1b2-c3d4-7567-8abc-000000000003', '0190a1b2-c3d4-7567-8abc-000000000002']

  test('one row above the limit gives a cursor after the last item', () => {
    const { items, nextCursor } = toPaged(ids, { limit: 1, idOf })
    expect(items).toEqual(ids.slice(0, 1))
    expect(readPage({ cursor: nextCursor ?? '' }).beforeId).toBe(ids[0])
  })

  test('at most the limit of rows gives the last page', () => {
    expect(toPaged(ids, { limit: 2, idOf })).toEqual({ items: ids, nextCursor: null })
    expect(toPaged(ids, { limit: 3, idOf })).toEqual({ items: ids, nextCursor: null })
    expect(toPaged([], { limit: 1, idOf })).toEqual({ items: [], nextCursor: null })
  })

  property.prop([fc.uniqueArray(uuid, { maxLength: 30 }), fc.integer({ min: 1, max: 10 })])(
    'successive pages show every item once and in order',
    (unordered, limit) => {
      const all = unordered.toSorted().reverse()
      const shown: string[] = []
      let cursor: string | null = null
      for (let pages = 0; pages <= all.length; pages += 1) {
        const { beforeId } = readPage(cursor === null ? {} : { cursor })
        const rows = all.filter((id) => id < beforeId).slice(0, limit + 1)
        const page = toPaged(rows, { limit, idOf })
        shown.push(...page.items)
        cursor = page.nextCursor
        if (cursor === null) break
      }
      expect(cursor).toBeNull()
      expect(shown).toEqual(all)
    },
  )
})

describe("a list's query", () => {
  test('is optional, and the limit is 100 by default', () => {
    expect(parsed({})).toEqual({ limit: 100 })
  })

  test('accepts a limit from 1 to 200', () => {
    expect(parsed({ limit: '1' })).toEqual({ limit: 1 })
    expect(parsed({ limit: '200' })).toEqual({ limit: 200 })
  })

  test.each(['0', '-1', '201', '1.5', 'ten', '', '1000000000000', '１０'])(
    'refuses the limit %j',
    (limit) => expect(parsed({ limit })).toBe('refused'),
  )

  test.each(['', 'short', 'A'.repeat(21), 'A'.repeat(23), `${'A'.repeat(21)}=`, 'Ä'.repeat(22)])(
    'refuses the cursor %j',
    (cursor) => expect(parsed({ cursor })).toBe('refused'),
  )

  test('refuses a parameter given twice', () => {
    expect(parsed({ limit: ['1', '2'] })).toBe('refused')
    expect(parsed({ cursor: ['A'.repeat(22), 'A'.repeat(22)] })).toBe('refused')
  })
})
