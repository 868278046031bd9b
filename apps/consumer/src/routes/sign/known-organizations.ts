/**
 * The hash that stands for an organization in the code of its vaults, as this browser saw it when
 * it signed. It is salted, so that nobody can compute it from the id; it never changes.
 */
import { type Finding, says } from '@countersign/proof/verify-evidence.ts'
import * as v from 'valibot'

const KEY = 'countersign.organization-hashes'

type Kept = Pick<Storage, 'getItem' | 'setItem'>

const hashes = v.record(v.string(), v.string())

function read(storage: Kept): Record<string, string> {
  try {
    const parsed = v.safeParse(hashes, JSON.parse(storage.getItem(KEY) ?? '{}'))
    return parsed.success ? parsed.output : {}
  } catch {
    return {}
  }
}

type Named = { organizationId: string; organizationHash: string }

export function rememberOrganization(
  { organizationId, organizationHash }: Named,
  storage: Kept = localStorage,
): void {
  try {
    const kept = { ...read(storage), [organizationId]: organizationHash.toLowerCase() }
    storage.setItem(KEY, JSON.stringify(kept))
  } catch {
    // Then the next signature is compared with nothing, as the first one was.
  }
}

/** Fails for a vault of another organization. Holds where this browser has not signed for either. */
export function organizationFinding(
  { organizationId, organizationHash }: Named,
  storage: Kept = localStorage,
): Finding {
  const kept = read(storage)
  const own = organizationHash.toLowerCase()
  const isAnothers = Object.entries(kept).some(
    ([id, hash]) => id !== organizationId && hash === own,
  )
  const isChanged = kept[organizationId] !== undefined && kept[organizationId] !== own
  const detail = isAnothers ? 'the vault of another organization' : own
  return says('chain: organization as before', !isAnothers && !isChanged, detail)
}
