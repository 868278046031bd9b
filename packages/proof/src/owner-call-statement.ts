/**
 * Compares a transaction with what the API's answer states about it: owner, token, delay and hashes
 * of a vault deployment, or every term of a policy intent and the recipients that it changes. Pure,
 * and free of Node's modules.
 */
import { keccak256 } from 'viem'
import type { DecodedPolicy, DecodedTransaction, OwnerCall } from './owner-call.ts'
import type { Difference } from './owner-call-comparison.ts'
import type { Statement } from './owner-call-input.ts'
import { utcOf } from './owner-call-text.ts'
import { vaultArtifactHash } from './vault-artifact.ts'

/** Which call a policy intent announces with its `kind`. */
const CALL_OF_KIND: Record<string, OwnerCall['name']> = {
  policy: 'configurePolicy',
  recipients: 'changeRecipients',
  policy_and_recipients: 'configurePolicyAndRecipients',
}

/** The fields of the answer that follow from the transaction, as the answer must state them. */
function statable({ transaction, call }: DecodedTransaction): Record<string, unknown> {
  switch (call.name) {
    case 'deployVault':
      return {
        chainId: transaction.chainId,
        ownerAddress: call.owner,
        tokenAddress: call.token,
        organizationHash: call.organizationHash,
        changeDelaySeconds: call.changeDelaySeconds,
        artifactHash: vaultArtifactHash,
        constructorDataHash: keccak256(transaction.data),
      }
    case 'configurePolicy':
      return { ...termsOf(call.policy), ...recipientsOf({ add: [], remove: [] }) }
    case 'configurePolicyAndRecipients':
      return { ...termsOf(call.policy), ...recipientsOf(call) }
    case 'changeRecipients':
      return recipientsOf(call)
    case 'activatePolicy':
      return termsOf(call.policy)
    default:
      return {}
  }
}

/** The API states a period or its caps as null where the vault has zeros. */
const termsOf = (policy: DecodedPolicy): Record<string, unknown> => ({
  executorAddress: policy.executor,
  approverAddresses: policy.approvers,
  approvedCap: policy.approvedCap,
  automaticCap: policy.automaticCap,
  lifetimeCap: policy.lifetimeCap,
  reserveFloor: policy.reserveFloor,
  periodSeconds: policy.periodSeconds === 0 ? null : policy.periodSeconds,
  periodCap: policy.periodSeconds === 0 ? null : policy.periodCap,
  automaticPeriodCap: policy.periodSeconds === 0 ? null : policy.automaticPeriodCap,
  tiers: policy.tiers,
  expiresAt: utcOf(policy.expiresAt),
  automaticEnabled: policy.automaticEnabled,
  paused: policy.paused,
})

const recipientsOf = ({ add, remove }: { add: readonly string[]; remove: readonly string[] }) => ({
  'changes.recipients.added': add,
  'changes.recipients.removed': remove,
})

/** Fractions of a second are cut off, as in the vault. Lists are compared in any order. */
function comparable(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(comparable).sort().join()}]`
  if (isTier(value)) return `${value.approvals} above ${value.above}`
  return String(value ?? null)
    .toLowerCase()
    .replace(/(?<=t\d\d:\d\d:\d\d)\.\d+z$/, 'z')
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isTier = (value: unknown): value is { above: unknown; approvals: unknown } =>
  isObject(value) && 'above' in value && 'approvals' in value

const shown = (value: unknown): string =>
  Array.isArray(value) ? value.map(comparable).join() || 'none' : String(value ?? 'nothing')

/** A field of the answer, or of an object in it: `changes.recipients.added`. */
const statedIn = (statement: Statement, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), statement)

export function compareWithStatement(
  decoded: DecodedTransaction,
  statement: Statement,
): Difference[] {
  const fields = Object.entries(statable(decoded))
    .filter(([path, actual]) => comparable(statedIn(statement, path)) !== comparable(actual))
    .map(([path, actual]) => ({
      field: path,
      requested: shown(statedIn(statement, path)),
      actual: shown(actual),
    }))
  return [...differentCall(decoded.call, statement), ...fields, ...wrongList(decoded, statement)]
}

/** A deployment or an intent with a kind announces its call; other answers announce none. */
function differentCall({ name }: OwnerCall, statement: Statement): Difference[] {
  const announced =
    'constructorDataHash' in statement
      ? 'deployVault'
      : 'kind' in statement
        ? (CALL_OF_KIND[String(statement.kind)] ?? `the unknown kind ${statement.kind}`)
        : name
  return announced === name ? [] : [{ field: 'call', requested: announced, actual: name }]
}

/** The full list after the change has everything that was added, and nothing that was removed. */
function wrongList({ call }: DecodedTransaction, statement: Statement): Difference[] {
  if (!('add' in call)) return []
  const field = 'recipientAddresses'
  const given = statement[field]
  const listed = new Set((Array.isArray(given) ? given : []).map(comparable))
  const added = new Set(call.add.map(comparable))
  return [
    ...call.add
      .filter((one) => !listed.has(comparable(one)))
      .map((one) => ({ field, requested: 'not listed', actual: one })),
    ...call.remove
      .filter((one) => listed.has(comparable(one)) && !added.has(comparable(one)))
      .map((one) => ({ field, requested: one, actual: 'not listed' })),
  ]
}
