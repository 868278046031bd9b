/**
 * A funding rule as a policy of Privy, and how a policy read back differs from it. Pure. One rule
 * that allows is all there is: Privy denies whatever no rule allows, so that a second rule could
 * only widen it, and a condition left out would.
 */
import { checksummed, isEvmAddress, timestampToSeconds } from '@countersign/proof/values.ts'
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import { lowerCased } from '#platform/values.ts'
import type { Difference, FundingRule } from '#ports/funding-provider.ts'

type Condition = {
  field_source: string
  field: string
  operator: string
  value: string
  abi?: readonly unknown[]
}

export type PrivyPolicy = {
  version: '1.0'
  name: string
  chain_type: 'ethereum'
  owner_id: string
  rules: { name: string; method: string; action: string; conditions: Condition[] }[]
}

const METHOD = 'eth_sendTransaction'
const depositAbi = vaultAbi.filter((item) => 'name' in item && item.name === 'deposit')

/** The order and the spelling of values are those that were reported to work. */
const conditionsOf = ({
  chainId,
  vaultAddress,
  maxAmount,
  expiresAt,
}: FundingRule): Condition[] => {
  const transaction = { field_source: 'ethereum_transaction' }
  const calldata = { field_source: 'ethereum_calldata', abi: depositAbi }
  return [
    { ...transaction, field: 'chain_id', operator: 'eq', value: String(chainId) },
    { ...transaction, field: 'to', operator: 'eq', value: checksummed(vaultAddress) },
    { ...transaction, field: 'value', operator: 'lte', value: '0x0' },
    { ...calldata, field: 'function_name', operator: 'eq', value: 'deposit' },
    {
      ...calldata,
      field: 'deposit.amount',
      operator: 'lte',
      value: `0x${maxAmount.toString(16)}`,
    },
    {
      field_source: 'system',
      field: 'current_unix_timestamp',
      operator: 'lt',
      value: String(timestampToSeconds(expiresAt)),
    },
  ]
}

/** To be made by whoever owns policies: never by the signer, and not by this service. */
export const compilePolicy = (
  rule: FundingRule,
  { ownerId }: { ownerId: string },
): PrivyPolicy => ({
  version: '1.0',
  name: 'countersign-funding',
  chain_type: 'ethereum',
  owner_id: ownerId,
  rules: [
    {
      name: 'deposit into vault',
      method: METHOD,
      action: 'ALLOW',
      conditions: conditionsOf(rule),
    },
  ],
})

const CODES: Record<string, Difference> = {
  'ethereum_transaction chain_id': 'policy_chain_differs',
  'ethereum_transaction to': 'policy_vault_differs',
  'ethereum_transaction value': 'policy_value_differs',
  'ethereum_calldata function_name': 'policy_function_differs',
  'ethereum_calldata deposit.amount': 'policy_amount_differs',
  'system current_unix_timestamp': 'policy_expiry_differs',
}

export type Fields = Record<string, unknown>
export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const listIn = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
const keyOf = ({ field_source: source, field }: Fields): string => `${source} ${field}`

/** Undefined: it allows what the rule says and nothing else. */
export function policyDifference(policy: unknown, rule: FundingRule): Difference | undefined {
  if (!isFields(policy) || !isFields(listIn(policy.rules)[0])) return 'policy_rule_differs'
  const [only, ...others] = listIn(policy.rules) as Fields[]
  const isInForm =
    policy.version === '1.0' &&
    policy.chain_type === 'ethereum' &&
    others.length === 0 &&
    only?.method === METHOD &&
    only.action === 'ALLOW'
  if (!isInForm) return 'policy_rule_differs'
  const found = listIn(only.conditions)
  const expected = conditionsOf(rule)
  for (const condition of expected) {
    const same = found.filter((part) => isFields(part) && keyOf(part) === keyOf(condition))
    const isSame = same.length === 1 && isEqual(same[0] as Fields, condition)
    if (!isSame) return CODES[keyOf(condition)] ?? 'policy_rule_differs'
  }
  return found.length === expected.length ? undefined : 'policy_rule_differs'
}

const KNOWN_FIELDS = new Set(['field_source', 'field', 'operator', 'value', 'abi'])

/** A field that nobody knows could mean anything. */
function isEqual(found: Fields, expected: Condition): boolean {
  const isKnown = Object.keys(found).every((name) => KNOWN_FIELDS.has(name))
  const isAbiRight = expected.abi ? isDepositAbi(found.abi) : (found.abi ?? null) === null
  const isValueRight = normalized(found.value) === normalized(expected.value)
  return isKnown && isAbiRight && isValueRight && found.operator === expected.operator
}

/** Privy may spell a number or an address in another way than it was told. */
function normalized(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > 100) return undefined
  if (isEvmAddress(value)) return lowerCased(value)
  return /^(?:0x[0-9a-fA-F]+|[0-9]+)$/.test(value) ? BigInt(value).toString() : `text ${value}`
}

/** Names, types and their order are what decides how data is read. */
function isDepositAbi(abi: unknown): boolean {
  const [item, ...others] = listIn(abi)
  if (!isFields(item) || others.length > 0) return false
  const [input, ...inputs] = listIn(item.inputs)
  const isAmount = isFields(input) && input.name === 'amount' && input.type === 'uint256'
  return item.type === 'function' && item.name === 'deposit' && isAmount && inputs.length === 0
}
