/** Value shapes that evidence is made of: UUIDs, UTC timestamps, addresses, hashes. */
import { getAddress, isAddress } from 'viem/utils'

export const INTEGER_MAX = Number.MAX_SAFE_INTEGER
export const ZERO_ADDRESS = '0x0000000000000000000000000000000000000000'

const hex = (length: number) => `^0x[a-fA-F0-9]{${length}}$`

export const ADDRESS_PATTERN = hex(40)
export const HASH_PATTERN = hex(64)

/** Versions 1 to 8 of the RFC 9562 variant, and the nil and max forms. */
export const UUID_PATTERN =
  '^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-8][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}' +
  '|00000000-0000-0000-0000-000000000000' +
  '|[fF]{8}-[fF]{4}-[fF]{4}-[fF]{4}-[fF]{12})$'

/** Calendar-valid: 29 February only in leap years of the Gregorian rule, no second 60. */
export const TIMESTAMP_PATTERN =
  '^(([0-9]{2}([02468][48]|[13579][26]|[2468]0)|([02468][048]|[13579][26])00)-02-29' +
  '|[0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])' +
  '|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8])))' +
  'T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.][0-9]{1,9})?Z$'

/** A calendar date of the years 2000 to 2099. */
export const DATE_PATTERN =
  '^20(([02468][048]|[13579][26])-02-29' +
  '|[0-9]{2}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])' +
  '|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8])))$'

export const SHA256_PATTERN = '^[0-9a-f]{64}$'

const matches = (pattern: string) => {
  const expression = new RegExp(pattern, 'u')
  return (value: unknown): value is string => typeof value === 'string' && expression.test(value)
}

export const isUuid = matches(UUID_PATTERN)
export const isTimestamp = matches(TIMESTAMP_PATTERN)
export const isHash = matches(HASH_PATTERN)
export const isDate = matches(DATE_PATTERN)
export const isSha256 = matches(SHA256_PATTERN)
export const isEvmAddress = (value: unknown): value is `0x${string}` =>
  typeof value === 'string' && isAddress(value, { strict: false })

const CHECKSUMMED_MAX = 10_000
const checksummedAlready = new Map<string, string>()

/** EIP-55, the only form that leaves the service. Lists have the same few over and over. */
export function checksummed(address: string): string {
  const known = checksummedAlready.get(address)
  if (known !== undefined) return known
  const made = getAddress(address.toLowerCase())
  if (checksummedAlready.size >= CHECKSUMMED_MAX) checksummedAlready.clear()
  checksummedAlready.set(address, made)
  return made
}

/**
 * False for an address whose mixed-case letters are not its EIP-55 checksum: a character was lost
 * or changed on the way. Letters of one case carry no checksum.
 */
export function hasRightChecksum(address: string): boolean {
  const digits = address.slice(2)
  const isMixed = /[a-f]/.test(digits) && /[A-F]/.test(digits)
  return !isMixed || !isEvmAddress(address) || checksummed(address) === address
}

/** Whole seconds, rounded down, as a contract compares them. */
export const timestampToSeconds = (timestamp: string): number =>
  Math.floor(new Date(timestamp).getTime() / 1000)

export const secondsToTimestamp = (seconds: number): string =>
  new Date(seconds * 1000).toISOString()
