/** Who is signed in at the gateway. The page never holds a token. */
import { queryOptions } from '@tanstack/react-query'
import { SESSION_PATH } from '../early/begin-app.ts'
import { GATEWAY_HEADER, takeBegun } from '../early/begun.ts'
import { ownPath } from './account.ts'

export type Session = { state: 'signed_in'; accountId: string } | { state: 'signed_out' }

export async function readSession(): Promise<Session> {
  const begun = takeBegun(SESSION_PATH)
  const response = await (begun ?? fetch(SESSION_PATH, { headers: GATEWAY_HEADER }))
  if (!response.ok) throw new Error(`The gateway answered ${response.status}.`)
  return (await response.json()) as Session
}

/** Read once: another person's session stops the page. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: readSession,
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
})

/** Of whoever is signed in now, who may not be the person this page was loaded for. */
export async function readOwnName(): Promise<string | null> {
  const headers = { ...GATEWAY_HEADER, accept: 'application/json' }
  const me: unknown = await fetch(ownPath(), { headers })
    .then((response) => response.json())
    .catch(() => null)
  const { account } = (me ?? {}) as { account?: { displayName?: unknown; subject?: unknown } }
  // Operators have no profile.
  const name = account?.displayName ?? account?.subject
  return typeof name === 'string' ? name : null
}

export const signInPath = (returnTo: string): string =>
  `/session/sign-in?return_to=${encodeURIComponent(returnTo)}`

export const stepUpPath = (requestId: string, returnTo: string): string =>
  `/session/step-up?request=${encodeURIComponent(requestId)}&return_to=${encodeURIComponent(returnTo)}`

/**
 * Leaves the page, because everything in it belongs to the person who signs out. False if the
 * gateway did not confirm it: then the session is still there.
 */
export async function signOut(options: {
  everywhere: boolean
  /** A problem that the sign-in page explains. */
  because?: string
}): Promise<boolean> {
  const answer = await fetch('/session/sign-out', {
    method: 'POST',
    headers: { ...GATEWAY_HEADER, 'content-type': 'application/json' },
    body: JSON.stringify(options.everywhere ? { everywhere: true } : {}),
  }).catch(() => null)
  if (!answer?.ok) return false
  const { because } = options
  location.assign(because ? `/sign-in?problem=${encodeURIComponent(because)}` : '/sign-in')
  return true
}
