/**
 * Whom this page was loaded for. All tabs share the gateway's cookie: when somebody signs in as
 * another person elsewhere, this page must not go on as that person with what it shows of the first.
 */
import { useSyncExternalStore } from 'react'
import { ACCOUNT_HEADER } from '../early/begun.ts'

const CODE = 'account_changed'

export type Realm = 'consumer' | 'admin'

let account: string | null = null
let realm: Realm = 'consumer'
let hasChanged = false
const listeners = new Set<() => void>()

function change(): void {
  if (hasChanged) return
  hasChanged = true
  for (const listener of listeners) listener()
}

const compare = (signedIn: unknown): void => {
  if (account !== null && typeof signedIn === 'string' && signedIn !== account) change()
}

/** Tabs tell each other, so that none waits for its next request to find out. */
const channel =
  typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('countersign-account')

export function beginAs(accountId: string, ofRealm: Realm): void {
  realm = ofRealm
  if (account !== null) {
    compare(accountId)
    return
  }
  account = accountId
  channel?.postMessage(accountId)
  channel?.addEventListener('message', ({ data }) => compare(data))
}

export const accountHeader = (): Record<string, string> =>
  account === null ? {} : { [ACCOUNT_HEADER]: account }

/** Where whoever is signed in reads about themselves. */
export const ownPath = (): string => `/v1/${realm}/me`

/** Looks at an answer of the gateway, and leaves its body to others. */
export async function noticeChange(answer: Response): Promise<void> {
  if (answer.status !== 409) return
  const body: unknown = await answer
    .clone()
    .json()
    .catch(() => null)
  if ((body as { error?: { code?: unknown } } | null)?.error?.code === CODE) change()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export const useAccountChanged = (): boolean => useSyncExternalStore(subscribe, () => hasChanged)
