import { describe, expect, test } from 'vitest'
import type { FundingRule } from '#ports/funding-provider.ts'
import { compilePolicy, policyDifference } from './privy-policy.ts'

const VAULT = '0x52908400098527886e0f7030069857d2e4169ee7'
const rule: FundingRule = {
  chainId: 84_532,
  vaultAddress: VAULT,
  maxAmount: 250_000_000n,
  expiresAt: '2026-09-08T00:00:00.000Z',
}
const deposit = {
  type: 'function',
  name: 'deposit',
  stateMutability: 'nonpayable',
  inputs: [{ name: 'amount', type: 'uint256' }],
  outputs: [],
}

test('a rule compiles to the one policy that allows it', () => {
  const transaction = { field_source: 'ethereum_transaction' }
  const calldata = { field_source: 'ethereum_calldata', abi: [deposit] }
  expect(compilePolicy(rule, { ownerId: 'quorum-of-the-owner' })).toEqual({
    version: '1.0',
    name: 'countersign-funding',
    chain_type: 'ethereum',
    owner_id: 'quorum-of-the-owner',
    rules: [
      {
        name: 'deposit into vault',
        method: 'eth_sendTransaction',
        action: 'ALLOW',
        conditions: [
          { ...transaction, field: 'chain_id', operator: 'eq', value: '84532' },
          {
            ...transaction,
            field: 'to',
            operator: 'eq',
            value: '0x52908400098527886E0F7030069857D2E4169EE7',
          },
          { ...transaction, field: 'value', operator: 'lte', value: '0x0' },
          { ...calldata, field: 'function_name', operator: 'eq', value: 'deposit' },
          { ...calldata, field: 'deposit.amount', operator: 'lte', value: '0xee6b280' },
          {
            field_source: 'system',
            field: 'current_unix_timestamp',
            operator: 'lt',
            value: '1788825600',
          },
        ],
      },
    ],
  })
})

// biome-ignore lint/suspicious/noExplicitAny: a test spoils what has a type
type Spoiled = any

/** A policy as Privy returns it, with its own ids and times; then changed. */
function readBack(spoil: (policy: Spoiled) => void = () => {}): unknown {
  const compiled = compilePolicy(rule, { ownerId: 'q' })
  const rules = compiled.rules.map((part) => ({ id: 'r1', ...part }))
  const policy = JSON.parse(JSON.stringify({ id: 'p1', created_at: 1, ...compiled, rules }))
  spoil(policy)
  return policy
}

const at = (index: number) => (policy: Spoiled) => policy.rules[0].conditions[index]
const CHAIN = at(0)
const TO = at(1)
const VALUE = at(2)
const FUNCTION = at(3)
const AMOUNT = at(4)
const EXPIRY = at(5)

describe('policyDifference', () => {
  test('finds none in the requested policy, in any order and spelling', () => {
    expect(policyDifference(readBack(), rule)).toBeUndefined()
    const spelled = readBack((policy) => {
      policy.rules[0].conditions.reverse()
      const [, amount, , , to, chain] = policy.rules[0].conditions
      amount.value = '250000000'
      to.value = to.value.toLowerCase()
      chain.value = '0x14a34'
    })
    expect(policyDifference(spelled, rule)).toBeUndefined()
  })

  test.each<[string, string, (policy: Spoiled) => void]>([
    ['policy_chain_differs', 'another chain', (p) => (CHAIN(p).value = '1')],
    ['policy_chain_differs', 'any higher chain', (p) => (CHAIN(p).operator = 'gte')],
    ['policy_vault_differs', 'another vault', (p) => (TO(p).value = `0x${'ab'.repeat(20)}`)],
    ['policy_vault_differs', 'a list of vaults', (p) => (TO(p).value = [VAULT])],
    ['policy_vault_differs', 'no target', (p) => p.rules[0].conditions.splice(1, 1)],
    ['policy_value_differs', 'some value', (p) => (VALUE(p).value = '0x1')],
    ['policy_value_differs', 'no bound on value', (p) => p.rules[0].conditions.splice(2, 1)],
    ['policy_function_differs', 'a function', (p) => (FUNCTION(p).value = 'withdraw')],
    ['policy_function_differs', 'an ABI', (p) => FUNCTION(p).abi.push(deposit)],
    ['policy_function_differs', 'no ABI', (p) => delete FUNCTION(p).abi],
    ['policy_amount_differs', 'one unit more', (p) => (AMOUNT(p).value = '0xee6b281')],
    ['policy_amount_differs', 'one unit less', (p) => (AMOUNT(p).value = '0xee6b27f')],
    ['policy_amount_differs', 'a type', (p) => (AMOUNT(p).abi[0].inputs[0].type = 'uint128')],
    ['policy_amount_differs', 'a name', (p) => (AMOUNT(p).abi[0].inputs[0].name = 'sum')],
    ['policy_amount_differs', 'two bounds', (p) => p.rules[0].conditions.push(AMOUNT(p))],
    ['policy_expiry_differs', 'a second later', (p) => (EXPIRY(p).value = '1788825601')],
    ['policy_expiry_differs', 'no expiry', (p) => p.rules[0].conditions.pop()],
    ['policy_rule_differs', 'one more rule', (p) => p.rules.push(p.rules[0])],
    ['policy_rule_differs', 'no rule', (p) => (p.rules = [])],
    ['policy_rule_differs', 'no rules', (p) => delete p.rules],
    ['policy_rule_differs', 'a denial', (p) => (p.rules[0].action = 'DENY')],
    ['policy_rule_differs', 'any method', (p) => (p.rules[0].method = '*')],
    ['policy_rule_differs', 'another version', (p) => (p.version = '2.0')],
    ['policy_rule_differs', 'another chain type', (p) => (p.chain_type = 'solana')],
    ['policy_rule_differs', 'one more condition', (p) => p.rules[0].conditions.push({ x: 1 })],
    ['policy_value_differs', 'an unknown operator', (p) => (VALUE(p).unless = 'x')],
  ])('is %s for %s', (code, _what, spoil) => {
    expect(policyDifference(readBack(spoil), rule)).toBe(code)
  })

  test.each([undefined, null, 'policy', [], {}, { rules: 'x' }, { rules: [null] }])(
    'rejects %o as a policy',
    (policy) => {
      expect(policyDifference(policy, rule)).toBe('policy_rule_differs')
    },
  )
})
