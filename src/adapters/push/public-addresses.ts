/** Decides whether an IP address is on the public internet, to prevent SSRF. Pure. */
import { BlockList, isIPv4, isIPv6 } from 'node:net'

type Subnet = readonly [address: string, prefix: number]

/** IANA's special-purpose registry, multicast and reserved ranges. */
const specialIPv4: readonly Subnet[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]

/**
 * Only 2000::/3 is allocated. Loopback, link-local, unique local, multicast and most embedded IPv4
 * addresses are outside it; 6to4 (2002::/16) and Teredo (in 2001::/23) are excluded below.
 */
const globalIPv6: Subnet = ['2000::', 3]
const specialIPv6: readonly Subnet[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3ffe::', 16],
  ['3fff::', 20],
]

function listOf(subnets: readonly Subnet[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const [address, prefix] of subnets) list.addSubnet(address, prefix, family)
  return list
}

const special4 = listOf(specialIPv4, 'ipv4')
const special6 = listOf(specialIPv6, 'ipv6')
const global6 = listOf([globalIPv6], 'ipv6')
const loopback4 = listOf([['127.0.0.0', 8]], 'ipv4')
const loopback6 = listOf([['::1', 128]], 'ipv6')

export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !special4.check(address, 'ipv4')
  if (!isIPv6(address) || address.includes('%')) return false
  return global6.check(address, 'ipv6') && !special6.check(address, 'ipv6')
}

/** IPv4-mapped IPv6 addresses do not count as loopback. */
export function isLoopbackAddress(address: string): boolean {
  if (isIPv4(address)) return loopback4.check(address, 'ipv4')
  if (!isIPv6(address) || /[%.]|ffff/i.test(address)) return false
  return loopback6.check(address, 'ipv6')
}
