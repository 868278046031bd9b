/**
 * An export that leaves the page for the identity provider and comes back. IndexedDB can hold keys
 * that no script can read; other stores cannot. The exported key itself is never stored.
 */
import type { ExportKeys } from './export-protocol.ts'

export type Ceremony = ExportKeys & {
  walletId: string
  requestId: string
  payload: unknown
  expiresAt: string
  /** The person has gone to the identity provider. */
  isProving: boolean
}

const DATABASE = 'countersign-export'
const STORE = 'ceremonies'

function asPromise<Value>(request: IDBRequest<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}

function open(): Promise<IDBDatabase> {
  const request = indexedDB.open(DATABASE, 1)
  request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: 'walletId' })
  return asPromise(request)
}

async function withStore<Value>(
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore) => IDBRequest<Value>,
): Promise<Value> {
  const database = await open()
  try {
    return await asPromise(work(database.transaction(STORE, mode).objectStore(STORE)))
  } finally {
    database.close()
  }
}

export const keepCeremony = async (ceremony: Ceremony): Promise<void> =>
  void (await withStore('readwrite', (store) => store.put(ceremony)))

export const forgetCeremony = (walletId: string): Promise<undefined> =>
  withStore('readwrite', (store) => store.delete(walletId))

/** Null if there is none, or it has ended. */
export async function keptCeremony(walletId: string, now = new Date()): Promise<Ceremony | null> {
  const kept: Ceremony | undefined = await withStore('readonly', (store) => store.get(walletId))
  if (!kept) return null
  if (new Date(kept.expiresAt) > now) return kept
  await forgetCeremony(walletId)
  return null
}
