/**
 * Compiles a funding rule to a Privy policy, and compares a policy with the rule. Pure. The policy
 * has a single ALLOW rule. Privy denies everything else, so an additional rule or a missing
 * condition would permit more.
 */
import { checksummed, isEvmAddress, timestampToSeconds } from '@countersign/proof/values.ts'
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import { optional } from '#platform/http-client/provider-client.ts'
import { fits, type Static, Type } from '#platform/schema.ts'
import { lowerCased } from '#platform/values.ts'
import type { ControlDifference, FundingRule } from '#ports/funding-provider.ts'

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

/** Condition order and value formats are those reported to work with Privy. */
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

/** The policy's owner creates it at Privy; neither the signer nor this service may. */
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

const CODES: Record<string, ControlDifference> = {
  'ethereum_transaction chain_id': 'policy_chain_differs',
  'ethereum_transaction to': 'policy_vault_differs',
  'ethereum_transaction value': 'policy_value_differs',
  'ethereum_calldata function_name': 'policy_function_differs',
  'ethereum_calldata deposit.amount': 'policy_amount_differs',
  'system current_unix_timestamp': 'policy_expiry_differs',
}

const SoleRule = Type.Object({
  version: Type.Literal('1.0'),
  chain_type: Type.Literal('ethereum'),
  rules: Type.Tuple([
    Type.Object({
      method: Type.Literal(METHOD),
      action: Type.Literal('ALLOW'),
      conditions: Type.Array(Type.Unknown()),
    }),
  ]),
})

const Keyed = Type.Object({ field_source: Type.String(), field: Type.String() })

/** Unknown fields are rejected, because they could change the meaning. */
const FoundCondition = Type.Object(
  {
    field_source: Type.String(),
    field: Type.String(),
    operator: Type.String(),
    value: Type.String({ maxLength: 100 }),
    abi: optional(Type.Unknown()),
  },
  { additionalProperties: false },
)

/** Names, types and order decide how Privy decodes the call data. */
const DepositAbi = Type.Tuple([
  Type.Object({
    type: Type.Literal('function'),
    name: Type.Literal('deposit'),
    inputs: Type.Tuple([
      Type.Object({ name: Type.Literal('amount'), type: Type.Literal('uint256') }),
    ]),
  }),
])

const keyOf = ({ field_source: source, field }: Static<typeof Keyed>): string =>
  `${source} ${field}`

/** Undefined if the policy allows exactly what the rule says. */
export function policyDifference(
  policy: unknown,
  rule: FundingRule,
): ControlDifference | undefined {
  if (!fits(SoleRule, policy)) return 'policy_rule_differs'
  const found = policy.rules[0].conditions
  const expected = conditionsOf(rule)
  for (const condition of expected) {
    const same = found.filter((part) => fits(Keyed, part) && keyOf(part) === keyOf(condition))
    const isSame = same.length === 1 && isEqual(same[0], condition)
    if (!isSame) return CODES[keyOf(condition)] ?? 'policy_rule_differs'
  }
  return found.length === expected.length ? undefined : 'policy_rule_differs'
}

function isEqual(found: unknown, expected: Condition): boolean {
  if (!fits(FoundCondition, found) || found.operator !== expected.operator) return false
  const isAbiRight = expected.abi ? fits(DepositAbi, found.abi) : (found.abi ?? null) === null
  return isAbiRight && normalized(found.value) === normalized(expected.value)
}

/** Privy may return a number or an address in another format than it was sent. */
function normalized(value: string): string {
  if (isEvmAddress(value)) return lowerCased(value)
  return /^(?:0x[0-9a-fA-F]+|[0-9]+)$/.test(value) ? BigInt(value).toString() : `text ${value}`
}
