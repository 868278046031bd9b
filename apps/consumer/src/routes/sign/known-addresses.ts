/** Addresses that this browser has signed for, for each organization. The service cannot change it. */
const keyOf = (organizationId: string): string => `countersign.signed-for.${organizationId}`

type Kept = Pick<Storage, 'getItem' | 'setItem'>

const MAX = 500

function read(organizationId: string, storage: Kept): string[] {
  try {
    const list: unknown = JSON.parse(storage.getItem(keyOf(organizationId)) ?? '[]')
    return Array.isArray(list) ? list.filter((each) => typeof each === 'string') : []
  } catch {
    return []
  }
}

export const isKnownAddress = (
  organizationId: string,
  address: string,
  storage: Kept = localStorage,
): boolean => read(organizationId, storage).includes(address.toLowerCase())

export function rememberAddresses(
  organizationId: string,
  addresses: readonly string[],
  storage: Kept = localStorage,
): void {
  const added = addresses.map((address) => address.toLowerCase())
  const kept = read(organizationId, storage).filter((each) => !added.includes(each))
  try {
    storage.setItem(keyOf(organizationId), JSON.stringify([...added, ...kept].slice(0, MAX)))
  } catch {
    // A full or forbidden storage only means that the address is announced as new again.
  }
}
