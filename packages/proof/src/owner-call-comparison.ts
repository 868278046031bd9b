/**
 * Compares what a person asked for with what a transaction does. Every difference is an error,
 * never a warning: the service that prepared it may be compromised. Pure, and free of Node's
 * modules.
 */
import type { DecodedPolicy, DecodedTier, DecodedTransaction, OwnerCall } from './owner-call.ts'
import { utcOf } from './owner-call-text.ts'

/**
 * Complete on purpose: a field that is left out would go unchecked. To extend a policy, spread the
 * one in force and change its end.
 */
export type RequestedCall = OwnerCall & {
  chainId: number
  /** The vault, or the token for `approve`; null for a deployment. */
  to: string | null
}

export type Difference = { field: string; requested: string; actual: string }

/** The transaction does not do what was asked for. */
export class OwnerCallMismatch extends Error {
  override readonly name = 'OwnerCallMismatch'
  readonly differences: readonly Difference[]

  constructor(differences: readonly Difference[]) {
    const lines = differences.map(
      ({ field, requested, actual }) => `${field}: requested ${requested}, does ${actual}`,
    )
    super(['The transaction does not do what was asked for.', ...lines].join('\n'))
    this.differences = differences
  }
}

/** Throws `OwnerCallMismatch` for any difference; call it before a wallet sees the transaction. */
export function requireAsRequested(decoded: DecodedTransaction, requested: RequestedCall): void {
  const differences = compareWithRequest(decoded, requested)
  if (differences.length > 0) throw new OwnerCallMismatch(differences)
}

export function compareWithRequest(
  { transaction, call }: DecodedTransaction,
  { chainId, to, ...asked }: RequestedCall,
): Difference[] {
  const place = [
    ...differ('chainId', chainId, transaction.chainId),
    ...differ('to', to, transaction.to),
    ...differ('value', 0n, transaction.value),
    ...differ('call', asked.name, call.name),
  ]
  if (asked.name !== call.name) return place
  const [wanted, done] = [fieldsOf(asked), fieldsOf(call)]
  const names = [...new Set([...Object.keys(wanted), ...Object.keys(done)])]
  return [...place, ...names.flatMap((name) => differ(name, wanted[name], done[name]))]
}

type Value = string | bigint | number | boolean | readonly string[] | null | undefined

function fieldsOf({ name: _name, ...call }: OwnerCall): Record<string, Value> {
  if (!('policy' in call)) return call
  const { policy, ...rest } = call
  return { ...rest, ...termsOf(policy) }
}

/** Tiers that a caller without types has left out stay undefined, which is a difference. */
const termsOf = ({ tiers, ...terms }: DecodedPolicy): Record<string, Value> => ({
  ...terms,
  tiers: tiers && textOfTiers(tiers),
})

/** In their order, which the vault requires to be ascending. */
const textOfTiers = (tiers: readonly DecodedTier[]): string =>
  tiers.length === 0
    ? 'none'
    : tiers.map(({ above, approvals }) => `${approvals} approvals above ${above}`).join(', ')

/** Two policies, field by field: the one in force, and the one that replaces it. */
export function comparePolicies(before: DecodedPolicy, after: DecodedPolicy): Difference[] {
  const [old, next] = [termsOf(before), termsOf(after)]
  return Object.keys(next).flatMap((name) => differ(name, old[name], next[name]))
}

const lower = (value: unknown): string => String(value).toLowerCase()

function differ(field: string, requested: Value, actual: Value): Difference[] {
  if (Array.isArray(requested) && Array.isArray(actual)) {
    return differInLists(field, requested, actual)
  }
  const isSame = requested !== undefined && lower(requested) === lower(actual)
  return isSame ? [] : [{ field, requested: shown(field, requested), actual: shown(field, actual) }]
}

/** The vault ignores the order of a list and refuses duplicates. */
function differInLists(
  field: string,
  requested: readonly string[],
  actual: readonly string[],
): Difference[] {
  const [wanted, done] = [requested.map(lower), actual.map(lower)]
  const twice = actual.filter((one, index) => done.indexOf(lower(one)) !== index)
  return [
    ...requested
      .filter((one) => !done.includes(lower(one)))
      .map((one) => ({ field, requested: one, actual: 'not listed' })),
    ...actual
      .filter((one) => !wanted.includes(lower(one)))
      .map((one) => ({ field, requested: 'not listed', actual: one })),
    ...twice.map((one) => ({ field, requested: one, actual: `${one} twice` })),
  ]
}

const shown = (field: string, value: Value): string => {
  if (value === undefined || value === null) return 'nothing'
  return field === 'expiresAt' ? `${utcOf(BigInt(String(value)))} (${value})` : String(value)
}
