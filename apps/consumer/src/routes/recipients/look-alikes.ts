/**
 * Addresses that can be mistaken for each other. People compare the ends, so whoever wants to be paid
 * in another's place makes an address with the same ends. The middle is what tells them apart.
 */
import { getAddress, isAddress } from 'viem'

export type KnownAddress = { label: string; address: string; active: boolean }

const DIGITS_COMPARED = 4

const digitsOf = (address: string): string => address.slice(2).toLowerCase()
const endsOf = (address: string): string => {
  const digits = digitsOf(address)
  return digits.slice(0, DIGITS_COMPARED) + digits.slice(-DIGITS_COMPARED)
}

const inFours = (address: string): string[] => address.slice(2).match(/.{1,4}/g) ?? []

export const isSameAddress = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

export type AddressIndex<Known> = {
  add(known: Known): void
  lookAlikesOf(address: string): Known[]
  find(address: string): Known | undefined
}

/** Finds look-alikes among many addresses without comparing each with each. */
export function indexAddresses<Known extends KnownAddress>(
  known: readonly Known[],
): AddressIndex<Known> {
  const byEnds = new Map<string, Known[]>()
  const sameEnds = (address: string): Known[] => byEnds.get(endsOf(address)) ?? []
  const index: AddressIndex<Known> = {
    add(one) {
      if (one.active) byEnds.set(endsOf(one.address), [...sameEnds(one.address), one])
    },
    lookAlikesOf: (address) =>
      sameEnds(address).filter((other) => !isSameAddress(other.address, address)),
    find: (address) => sameEnds(address).find((other) => isSameAddress(other.address, address)),
  }
  known.forEach(index.add)
  return index
}

export const lookAlikesOf = <Known extends KnownAddress>(
  address: string,
  known: readonly Known[],
): Known[] => indexAddresses(known).lookAlikesOf(address)

export type GroupPair = { left: string; right: string; isSame: boolean }

/** Both addresses in groups of four, side by side. */
export function comparedGroups(left: string, right: string): GroupPair[] {
  const others = inFours(right)
  return inFours(left).map((group, index) => {
    const other = others[index] ?? ''
    return { left: group, right: other, isSame: group.toLowerCase() === other.toLowerCase() }
  })
}

export type ReadAddress =
  | { ok: true; address: string }
  | { ok: false; problem: 'empty' | 'not_an_address' | 'bad_checksum' }

/** What someone typed or pasted. Mixed case must be the checksum, so that a typing error is seen. */
export function readAddress(typed: string): ReadAddress {
  const text = typed.trim()
  if (text === '') return { ok: false, problem: 'empty' }
  if (!/^0x[0-9a-f]{40}$/i.test(text)) return { ok: false, problem: 'not_an_address' }
  const digits = text.slice(2)
  const isOneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase()
  if (!isOneCase && !isAddress(text, { strict: true }))
    return { ok: false, problem: 'bad_checksum' }
  return { ok: true, address: getAddress(text) }
}
