/**
 * Checks the endpoint of a subscription or webhook: a URL that a caller chose and this service will
 * POST to. It must be on the public internet. The request later connects to the address that
 * was checked here, so a second DNS answer cannot redirect it (DNS rebinding).
 */
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { AppError } from '#platform/errors.ts'
import { isLoopbackAddress, isPublicAddress } from './public-addresses.ts'

const ENDPOINT_LENGTH_MAX = 1_024

export type Resolve = (hostname: string) => Promise<{ address: string }[]>

export type EndpointRules = {
  /** Development only: https on loopback, at any port. */
  allowsLoopback: boolean
  /** With `allowsLoopback`: http on loopback, too. */
  allowsHttp?: boolean
  /** `push.example` or `*.push.example`. Undefined allows every public host. */
  hosts: readonly string[] | undefined
  resolve?: Resolve
}

/** The checked IP address to connect to. The certificate must match the URL's host. */
export type Target = { url: URL; address: string; isLoopback: boolean }
export type EndpointRefusal = { refused: string }

const refused = (why: string): EndpointRefusal => ({ refused: why })

/** The operating system's resolver, which also reads /etc/hosts. */
const systemResolve: Resolve = (hostname) => lookup(hostname, { all: true, order: 'ipv4first' })

const isListed = (hostname: string, hosts: readonly string[]): boolean =>
  hosts.some((host) =>
    host.startsWith('*.') ? hostname.endsWith(host.slice(1)) : hostname === host,
  )

/** Checks that need no DNS lookup. */
function parseEndpoint(endpoint: string, allowsHttp: boolean): URL | EndpointRefusal {
  if (endpoint.length > ENDPOINT_LENGTH_MAX) return refused('is longer than 1024 characters')
  // URL parsers treat these differently, and silently drop or replace some of them.
  if (!/^[\x21-\x7e]+$/.test(endpoint) || /[\\"<>^`{|}]/.test(endpoint)) {
    return refused('has characters that no URL has')
  }
  const scheme = allowsHttp ? /^https?:\/\/[^/]/i : /^https:\/\/[^/]/i
  if (!scheme.test(endpoint)) return refused('is not https')
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
  { allowsLoopback, allowsHttp = false, hosts, resolve = systemResolve }: EndpointRules,
): Promise<Target | EndpointRefusal> {
  const url = parseEndpoint(endpoint, allowsLoopback && allowsHttp)
  if ('refused' in url) return url
  const host = hostOf(url)
  const problem = problemOf(url, hosts)
  // Avoids a DNS lookup for an endpoint that is refused anyway.
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

/** Host name without the brackets of an IPv6 address. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1')

/** Rules for public endpoints: push services use port 443 and fully qualified host names. */
function problemOf(url: URL, hosts: readonly string[] | undefined): EndpointRefusal | undefined {
  const { protocol, hostname, port, pathname } = url
  if (protocol !== 'https:') return refused('is not https')
  if (port !== '') return refused('is not on port 443')
  const isName = isIP(hostOf(url)) === 0
  if (isName && !/\.[^.]+$/.test(hostname)) return refused('has no full host name')
  if (hosts && !isListed(hostname, hosts)) return refused('is not of a known push service')
  // GCM was shut down, and it did not support VAPID.
  if (hostname === 'android.googleapis.com' && pathname.startsWith('/gcm/')) {
    return refused('is of a push service that is no more')
  }
  return undefined
}

const NOT_FOUND_CODES = ['ENOTFOUND', 'ENODATA', 'EAI_NONAME', 'EINVAL']

async function addressesOf(
  hostname: string,
  resolve: Resolve,
): Promise<string[] | EndpointRefusal> {
  try {
    const found = await resolve(hostname)
    return found.length === 0
      ? refused('has a host name that does not exist')
      : found.map(({ address }) => address)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (NOT_FOUND_CODES.includes(code)) return refused('has a host name that does not exist')
    // The host name is left out because the caller chose it.
    throw new AppError('dependency_unavailable', {
      message: 'The host name of the endpoint cannot be resolved now. Retry shortly.',
      cause: new Error(`DNS lookup of an endpoint failed: ${code}`),
    })
  }
}
