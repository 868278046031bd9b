/** The exported trail: its bytes as they are checked, and the head that this browser keeps. */
import type { KeptTrailHead } from '@countersign/proof/check-trail.ts'

/** Not every browser can iterate over a stream by itself. */
export async function* chunksOf(file: Blob): AsyncGenerator<Uint8Array> {
  const reader = file.stream().getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    yield value
  }
}

export type KeptHead = KeptTrailHead & { keptAt: string }

const nameOf = (organizationId: string): string => `countersign.audit-head.${organizationId}`

const isHead = (value: unknown): value is KeptHead => {
  const { sequence, hash, keptAt } = (value ?? {}) as Partial<KeptHead>
  return Number.isSafeInteger(sequence) && typeof hash === 'string' && typeof keptAt === 'string'
}

type Store = Pick<Storage, 'getItem' | 'setItem'>

export function keptHead(organizationId: string, store: Store = localStorage): KeptHead | null {
  try {
    const value: unknown = JSON.parse(store.getItem(nameOf(organizationId)) ?? 'null')
    return isHead(value) ? value : null
  } catch {
    return null
  }
}

/** Whoever rewrites the trail later cannot rewrite what this browser remembers. */
export function keepHead(
  organizationId: string,
  { sequence, hash }: { sequence: number; hash: string },
  { now = new Date(), store = localStorage as Store } = {},
): void {
  const head: KeptHead = { organizationId, sequence, hash, keptAt: now.toISOString() }
  store.setItem(nameOf(organizationId), JSON.stringify(head))
}
