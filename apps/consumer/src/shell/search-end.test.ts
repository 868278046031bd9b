import { describe, expect, it } from 'vitest'
import { searchEnd } from './search-end.ts'

const search = { isSearched: true, isFetching: false, hasFailed: false, count: 0 }

describe('a search', () => {
  it('that failed has not found nothing', () => {
    expect(searchEnd({ ...search, hasFailed: true })).toBe('failed')
    expect(searchEnd({ ...search, hasFailed: true, count: 2 })).toBe('failed')
  })

  it('that is repeated has no end yet', () => {
    expect(searchEnd({ ...search, hasFailed: true, isFetching: true })).toBe('searching')
  })

  it('that found nothing says so, and one that found something says nothing', () => {
    expect(searchEnd(search)).toBe('no_matches')
    expect(searchEnd({ ...search, count: 1 })).toBeNull()
    expect(searchEnd({ ...search, count: 1, isFetching: true })).toBeNull()
  })

  it('that was not sent does not wait', () => {
    expect(searchEnd({ ...search, isSearched: false })).toBe('no_matches')
    expect(searchEnd({ ...search, isSearched: false, hasFailed: true })).toBe('no_matches')
  })
})
