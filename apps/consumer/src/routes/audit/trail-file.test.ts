import { expect, it } from 'vitest'
import { chunksOf, keepHead, keptHead } from './trail-file.ts'

function memory() {
  const kept = new Map<string, string>()
  return {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => void kept.set(name, value),
  }
}

it('keeps a head for each organization', () => {
  const store = memory()
  const now = new Date('2026-01-01T00:00:00Z')
  keepHead('one', { sequence: 7, hash: '0xab' }, { now, store })
  expect(keptHead('one', store)).toEqual({
    organizationId: 'one',
    sequence: 7,
    hash: '0xab',
    keptAt: '2026-01-01T00:00:00.000Z',
  })
  expect(keptHead('two', store)).toBeNull()
})

it('takes nothing else for a head', () => {
  const store = memory()
  store.setItem('countersign.audit-head.one', '{"sequence":"7"}')
  expect(keptHead('one', store)).toBeNull()
  store.setItem('countersign.audit-head.one', 'not JSON')
  expect(keptHead('one', store)).toBeNull()
})

it('reads a file in chunks', async () => {
  const parts: Uint8Array[] = []
  for await (const chunk of chunksOf(new Blob(['a\nb']))) parts.push(chunk)
  expect(new TextDecoder().decode(parts[0])).toBe('a\nb')
})
