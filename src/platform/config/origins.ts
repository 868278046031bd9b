/** Origins of the browser applications. Used by `config.ts`. */
import { type Environment, isLoopback, problem } from './values.ts'

export type OriginsConfig = {
  /** Other origins whose pages may call the API and read its answers. None by default. */
  cors: readonly string[]
  /** The consumer application, which a wallet names when it signs. Undefined: not configured. */
  consumerApp: string | undefined
}

const ORIGINS_MAX = 50

/** What EIP-4361 messages can name: a domain, an IPv4 address or localhost. */
const SIGNABLE_HOST = /^(?:localhost|[0-9]{1,3}(?:\.[0-9]{1,3}){3}|(?:[a-z0-9-]+\.)+[a-z]{2,})$/

const isSignable = (origin: string): boolean => SIGNABLE_HOST.test(new URL(origin).hostname)

/** Browsers send exactly this form, and it is compared character by character. */
export function readOrigin(name: string, value: string, production: boolean): string {
  const url = URL.parse(value)
  const isOrigin = url !== null && url.origin === value && !value.includes('*')
  const isOpen = url?.protocol === 'http:' && (isLoopback(url) || !production)
  if (isOrigin && (url.protocol === 'https:' || isOpen)) return value
  const kind = production ? 'https:// (on loopback http://)' : 'https:// or http://'
  throw problem(
    `${name}: ${JSON.stringify(value)} is not an origin. Write ${kind}, the host in lower case ` +
      'and a port unless it is the default, without a path.',
  )
}

export function readOrigins(env: Environment, production: boolean): OriginsConfig {
  const values = (env.CORS_ORIGINS ?? '').split(',').map((value) => value.trim())
  const cors = values
    .filter((value) => value !== '')
    .map((value) => readOrigin('CORS_ORIGINS', value, production))
  if (cors.length > ORIGINS_MAX)
    throw problem(`CORS_ORIGINS may list at most ${ORIGINS_MAX} origins.`)
  if (!env.CONSUMER_APP_ORIGIN) {
    return { cors, consumerApp: cors.slice(0, 1).find(isSignable) }
  }
  const consumerApp = readOrigin('CONSUMER_APP_ORIGIN', env.CONSUMER_APP_ORIGIN, production)
  if (isSignable(consumerApp)) return { cors, consumerApp }
  throw problem('CONSUMER_APP_ORIGIN must name a domain, an IPv4 address or localhost.')
}
