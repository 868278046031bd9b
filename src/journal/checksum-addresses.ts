/** Puts every address in the data of an audit event into its EIP-55 form. */
import { checksummed, isEvmAddress } from '@countersign/proof/values.ts'

/**
 * Goes by the shape of a value, 0x and 40 hex digits, so that no caller can forget it. It changes
 * whole strings only: text that mentions an address, and hashes, stay as they are.
 */
export function checksumAddresses<T>(value: T): T {
  return checksum(value) as T
}

function checksum(value: unknown): unknown {
  if (typeof value === 'string') return isEvmAddress(value) ? checksummed(value) : value
  if (Array.isArray(value)) return value.map(checksum)
  if (!isPlainObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, checksum(part)]))
}

/** A Date has a JSON form of its own. */
const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
