/**
 * MACs of reports and of automatic authorizations. Only workers hold the key, so rows written by an
 * API process, or with its stolen database login, have no valid MAC.
 */
import { timingSafeEqual } from 'node:crypto'
import { canonicalJson } from '@countersign/proof/digest.ts'
import { toTimestamp } from '#platform/clock.ts'
import { keyedHash, type MacKey, type MacKeys } from '#platform/secrets.ts'

/** The values that the MAC of a report covers. */
export type ReportTerms = {
  organizationId: string
  expenseId: string
  revision: number
  versionHash: string
  reportHash: string
  vaultId: string
  recipientAddress: string
  amount: bigint
}

/** The values that the MAC of an automatic authorization covers. */
export type AutomaticTerms = ReportTerms & { policyVersion: number; deadline: string }

/** A MAC and its key, as stored. */
export type Seal = { mac: Buffer; keyId: string }

/** How long a MAC under the previous key verifies, counted from the current key's first use. */
export const PREVIOUS_KEY_DAYS = 7

function macOf({ id: keyId, key }: MacKey, kind: string, terms: ReportTerms): Buffer {
  const { amount, ...rest } = terms
  const content = { ...rest, keyId, amount: amount.toString() }
  return keyedHash(key, [`countersign.${kind}.v1\n`, canonicalJson(content)])
}

const sealed = (key: MacKey, kind: string, terms: ReportTerms): Seal => ({
  mac: macOf(key, kind, terms),
  keyId: key.id,
})

export const sealReport = ({ current }: MacKeys, terms: ReportTerms): Seal =>
  sealed(current, 'report', exactly(terms))

export const sealAuthorization = ({ current }: MacKeys, terms: AutomaticTerms): Seal =>
  sealed(current, 'automatic-authorization', exactlyAutomatic(terms))

type Given = { mac: Buffer | null; keyId: string | null }

export const isSealedReport = (
  accepted: readonly MacKey[],
  terms: ReportTerms,
  seal: Given,
): boolean => verifies(accepted, 'report', exactly(terms), seal)

export const isSealedAuthorization = (
  accepted: readonly MacKey[],
  terms: AutomaticTerms,
  seal: Given,
): boolean => verifies(accepted, 'automatic-authorization', exactlyAutomatic(terms), seal)

function verifies(
  accepted: readonly MacKey[],
  kind: string,
  terms: ReportTerms,
  { mac, keyId }: Given,
): boolean {
  const key = accepted.find(({ id }) => id === keyId)
  if (!key || !mac) return false
  const expected = macOf(key, kind, terms)
  return mac.length === expected.length && timingSafeEqual(mac, expected)
}

/** Callers pass whole rows: only these fields are covered. */
const exactly = (terms: ReportTerms): ReportTerms => ({
  organizationId: terms.organizationId,
  expenseId: terms.expenseId,
  revision: terms.revision,
  versionHash: terms.versionHash,
  reportHash: terms.reportHash,
  vaultId: terms.vaultId,
  recipientAddress: terms.recipientAddress,
  amount: terms.amount,
})

const exactlyAutomatic = (terms: AutomaticTerms): AutomaticTerms => ({
  ...exactly(terms),
  policyVersion: terms.policyVersion,
  deadline: toTimestamp(terms.deadline),
})
