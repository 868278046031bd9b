/**
 * Runs as soon as the page is there, beside the download of the application's script, and asks for
 * what the first screen waits for. So it must stay small, and import nothing that is not.
 */
import { begin, beginRest } from './begun.ts'
import { type Catalogs, preferredLanguage } from './language.ts'

export const SESSION_PATH = '/session'

/** Null for whoever is not signed in. A session that cannot be read is dealt with by the router. */
async function accountOf(answer: Promise<Response>): Promise<string | null> {
  const session: unknown = await answer
    .then((response) => response.clone().json())
    .catch(() => null)
  const { accountId } = (session ?? {}) as { accountId?: unknown }
  return typeof accountId === 'string' ? accountId : null
}

export async function beginApp(catalogs: Catalogs, reads: readonly string[]): Promise<void> {
  const session = begin(SESSION_PATH)
  void catalogs[preferredLanguage()]().catch(() => undefined)
  const account = await accountOf(session)
  if (account !== null) beginRest(reads, account)
}
