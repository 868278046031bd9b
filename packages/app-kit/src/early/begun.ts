/**
 * Reads that begin while the application's script is still on its way, and the answers that wait for
 * it. An answer is taken once and soon, or not at all: nobody may be shown an old one later.
 */

/** Forms of other sites cannot send this header; the gateway refuses requests without it. */
export const GATEWAY_HEADER = { 'x-countersign': '1' } as const

/** The gateway compares it with the session of the cookie. */
export const ACCOUNT_HEADER = 'x-account'

const KEPT_MS = 10_000

type Begun = { account: string | null; answer: Promise<Response> }

const begun = new Map<string, Begun>()

/** `path` as it will be asked for, with its query. */
export function begin(path: string, account: string | null = null): Promise<Response> {
  const headers = { ...GATEWAY_HEADER, ...(account !== null && { [ACCOUNT_HEADER]: account }) }
  const answer = fetch(path, { headers, redirect: 'error' })
  // Whoever takes it deals with a failure.
  answer.catch(() => undefined)
  begun.set(path, { account, answer })
  setTimeout(() => begun.delete(path), KEPT_MS)
  return answer
}

/** What the application asked for itself while this waited; null once nothing more is begun. */
let askedFirst: Set<string> | null = new Set()

/** Begins what is still to come. On a fast connection the application may have been quicker. */
export function beginRest(paths: readonly string[], account: string): void {
  for (const path of paths) if (!askedFirst?.has(path)) void begin(path, account)
  askedFirst = null
}

/** Undefined if nothing was begun, or for another account. */
export function takeBegun(
  path: string,
  account: string | null = null,
): Promise<Response> | undefined {
  askedFirst?.add(path)
  const found = begun.get(path)
  begun.delete(path)
  return found?.account === account ? found.answer : undefined
}
