/**
 * The endpoint of a subscription is a URL that a stranger chose and that this service will post to.
 * It must name a push service on the public internet, and the address that is checked here is the
 * very one that is connected to: no second look-up could answer otherwise.
 */
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { AppError } from '#platform/errors.ts'
import { isLoopbackAddress, isPublicAddress } from './public-addresses.ts'

const ENDPOINT_LENGTH_MAX = 1_024

export type Resolve = (hostname: string) => Promise<{ address: string }[]>

export type EndpointRules = {
  /** For development alone: https on this machine, at any port. */
  allowsLoopback: boolean
  /** `push.example` or `*.push.example`; without a list, any host of the public internet. */
  hosts: readonly string[] | undefined
  resolve?: Resolve
}

/** Where to connect, and as whom the other side must identify itself. */
export type Target = { url: URL; address: string; isLoopback: boolean }
export type EndpointRefusal = { refused: string }

const refused = (why: string): EndpointRefusal => ({ refused: why })

/** The system's own resolver, so that a name means here what it means to the machine. */
const systemResolve: Resolve = (hostname) => lookup(hostname, { all: true, order: 'ipv4first' })

const isListed = (hostname: string, hosts: readonly string[]): boolean =>
  hosts.some((host) =>
    host.startsWith('*.') ? hostname.endsWith(host.slice(1)) : hostname === host,
  )

/** What can be said of it without asking anybody. */
function parseEndpoint(endpoint: string): URL | EndpointRefusal {
  if (endpoint.length > ENDPOINT_LENGTH_MAX) return refused('is longer than 1024 characters')
  // Parsers disagree about these, and drop or turn some of them without a word.
  if (!/^[\x21-\x7e]+$/.test(endpoint) || /[\\"<>^`{|}]/.test(endpoint)) {
    return refused('has characters that no URL has')
  }
  if (!/^https:\/\/[^/]/i.test(endpoint)) return refused('is not https')
  const url = URL.parse(endpoint)
  if (!url || url.href.length > ENDPOINT_LENGTH_MAX) return refused('is no URL')
  if (url.username || url.password || /^[^/]*\/\/[^/?#]*@/.test(endpoint)) {
    return refused('carries a user')
  }
  if (endpoint.includes('#')) return refused('carries a fragment')
  return url
}

export async function resolveEndpoint(
  endpoint: string,
  { allowsLoopback, hosts, resolve = systemResolve }: EndpointRules,
): Promise<Target | EndpointRefusal> {
  const url = parseEndpoint(endpoint)
  if ('refused' in url) return url
  const host = hostOf(url)
  const problem = problemOf(url, hosts)
  // Nobody is asked about a name that would be refused anyway.
  if (problem && !allowsLoopback) return problem
  const addresses = isIP(host) ? [host] : await addressesOf(host, resolve)
  if ('refused' in addresses) return addresses
  const [address = ''] = addresses
  if (allowsLoopback && addresses.every(isLoopbackAddress)) {
    return { url, address, isLoopback: true }
  }
  if (!addresses.every(isPublicAddress)) return refused('is not on the public internet')
  return problem ?? { url, address, isLoopback: false }
}

/** Without the brackets of IPv6. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1')

/** Rules for the internet: what runs on other ports or under bare names is no push service. */
function problemOf(url: URL, hosts: readonly string[] | undefined): EndpointRefusal | undefined {
  const { hostname, port, pathname } = url
  if (port !== '') return refused('is not on port 443')
  const isName = isIP(hostOf(url)) === 0
  if (isName && !/\.[^.]+$/.test(hostname)) return refused('has no full host name')
  if (hosts && !isListed(hostname, hosts)) return refused('is not of a known push service')
  // Shut down years ago, and it took another key than VAPID's.
  if (hostname === 'android.googleapis.com' && pathname.startsWith('/gcm/')) {
    return refused('is of a push service that is no more')
  }
  return undefined
}

const NOBODY = ['ENOTFOUND', 'ENODATA', 'EAI_NONAME', 'EINVAL']

async function addressesOf(hostname: string, resolve: Resolve): Promise<string[] | EndpointRefusal> {
  try {
    const found = await resolve(hostname)
    return found.length === 0 ? refused('leads nowhere') : found.map(({ address }) => address)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (NOBODY.includes(code)) return refused('leads nowhere')
    // The name is not repeated: it is the stranger's.
    throw new AppError('dependency_unavailable', {
      message: 'The push service cannot be looked up now. Retry shortly.',
      cause: new Error(`The look-up of an endpoint failed: ${code}`),
    })
  }
}
