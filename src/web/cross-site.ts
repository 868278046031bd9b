/**
 * Keeps other sites from using somebody's session. A Strict cookie alone would let a page on
 * another port or subdomain through; the header below cannot be sent by a form, and a script of
 * another origin would need a permission that no route gives.
 */
import type { FastifyRequest } from 'fastify'
import { isLoopback } from '#platform/config/values.ts'
import { AppError } from '#platform/errors.ts'
import type { WebContext } from './web-context.ts'

export const OWN_HEADER = 'x-countersign'

const refused = (message: string) => new AppError('forbidden', { message })

/** `npm run dev:web` serves pages on another port of this machine. */
function isOurs(origin: string, { production, origin: own }: WebContext['config']): boolean {
  if (origin === own) return true
  const url = URL.parse(origin)
  return !production && url !== null && isLoopback(url) && isLoopback(new URL(own))
}

/** For requests of our own scripts. */
export function requireOwnPage({ config }: WebContext, { headers }: FastifyRequest): void {
  const { origin, 'sec-fetch-site': site } = headers
  if (site !== undefined && site !== 'same-origin') {
    throw refused('This request comes from another site.')
  }
  if (origin !== undefined && !isOurs(origin, config)) {
    throw refused('This request comes from another origin.')
  }
  if (headers[OWN_HEADER] !== '1') throw refused(`Send the header ${OWN_HEADER}: 1.`)
}

/**
 * For navigations that confirm something: from our own page only. A link in a mail counts as the
 * person's own navigation (`none`), and somebody else may have sent it.
 */
export function requireOwnNavigation({ headers }: FastifyRequest): void {
  if (headers['sec-fetch-site'] === 'same-origin') return
  throw refused('This address can only be opened from the application itself.')
}
