/** Converts every address in the data of an audit event to its EIP-55 form. */
import { checksummed, isEvmAddress } from '@countersign/proof/values.ts'

/**
 * Detects addresses by their shape, so that no caller can forget it. Only whole strings are
 * changed; hashes and text that mentions an address stay as they are.
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

/** A Date has its own JSON form. */
const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
