import { describe, expect, test } from 'vitest'
import { chainWarnings, readChain } from './chain.ts'
import type { Environment } from './values.ts'

const env: Environment = {
  RPC_URLS: 'https://one.example/key,https://two.example',
  TOKEN_ADDRESS: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  CHAIN_ID: '8453',
  CONFIRMATIONS: '100',
}
const problemOf = (change: Environment, production = true): string => {
  try {
    readChain({ ...env, ...change }, production)
    return 'no problem'
  } catch (error) {
    return (error as Error).message
  }
}

describe('a node over plain http', () => {
  test.each([
    ['http://node.example/key-not-to-be-shown', true],
    ['https://node.example,http://10.0.0.7:8545', true],
    ['http://127.0.0.1.evil.example', true],
    ['http://localhost:8545', false],
    ['http://127.0.0.1:8545', false],
    ['http://[::1]:8545', false],
  ])('%s is refused in production: %s', (RPC_URLS, isRefused) => {
    const problem = problemOf({ RPC_URLS })
    expect(problem).toMatch(
      isRefused ? /^RPC_URLS must be https:\/\/ in production/ : /^no problem/,
    )
    expect(problem).not.toContain('key-not-to-be-shown')
    expect(problemOf({ RPC_URLS }, false)).toBe('no problem')
  })
})

describe('MAX_FEE_PER_GAS_GWEI', () => {
  const ceiling = (change: Environment) => readChain({ ...env, ...change }, true).feeCeiling

  test('is read with up to nine decimals', () => {
    expect(ceiling({ MAX_FEE_PER_GAS_GWEI: '100' })).toBe(100_000_000_000n)
    expect(ceiling({ MAX_FEE_PER_GAS_GWEI: '0.05' })).toBe(50_000_000n)
    expect(ceiling({ MAX_FEE_PER_GAS_GWEI: '0.000000001' })).toBe(1n)
  })

  test('has a default for each chain', () => {
    expect(ceiling({})).toBe(50_000_000_000n)
    expect(ceiling({ CHAIN_ID: '1' })).toBe(500_000_000_000n)
    expect(ceiling({ CHAIN_ID: '31337' })).toBe(500_000_000_000n)
  })

  test.each(['0', '-1', '1e3', '1.0000000001', '.5', '5.', '10000000', 'gwei', ' 1'])(
    '%j is refused',
    (MAX_FEE_PER_GAS_GWEI) => {
      expect(problemOf({ MAX_FEE_PER_GAS_GWEI })).toMatch(/^MAX_FEE_PER_GAS_GWEI must be a number/)
    },
  )
})

describe('warnings', () => {
  const warnings = (change: Environment) => chainWarnings(readChain({ ...env, ...change }, true))

  test.each([
    ['1', '63', 'Ethereum use 64'],
    ['8453', '12', 'Base use 100'],
    ['10', '99', 'OP Mainnet use 100'],
    ['42161', '199', 'Arbitrum One use 200'],
    ['137', '32', 'Polygon PoS use 33'],
  ])('chain %s with CONFIRMATIONS %s: %s or more', (CHAIN_ID, CONFIRMATIONS, words) => {
    const [warning, ...others] = warnings({ CHAIN_ID, CONFIRMATIONS })
    expect(warning).toContain(`CONFIRMATIONS is ${CONFIRMATIONS}; on ${words} or more`)
    expect(others).toEqual([])
  })

  test('are absent at the depth of the table and on unlisted chains', () => {
    expect(warnings({})).toEqual([])
    expect(warnings({ CHAIN_ID: '43114', CONFIRMATIONS: '1' })).toEqual([])
    expect(warnings({ CHAIN_ID: '999999', CONFIRMATIONS: '1' })).toEqual([])
  })

  test('name a single node', () => {
    expect(warnings({ RPC_URLS: 'https://one.example' })).toEqual([
      expect.stringMatching(/^RPC_URLS has one node/),
    ])
  })
})

describe('EXPLORER_URL', () => {
  const explorer = (change: Environment) => readChain({ ...env, ...change }, true).explorerUrl

  test('defaults to the explorer of a known chain, and to none elsewhere', () => {
    expect(explorer({})).toBe('https://basescan.org')
    expect(explorer({ CHAIN_ID: '11155111' })).toBe('https://sepolia.etherscan.io')
    expect(explorer({ CHAIN_ID: '987654' })).toBeUndefined()
  })

  test('replaces it, without a slash at its end', () => {
    expect(explorer({ EXPLORER_URL: 'https://scan.example/base/' })).toBe(
      'https://scan.example/base',
    )
  })

  test.each(['http://scan.example', 'javascript:alert(1)', 'https://scan.example?tx=', 'scan'])(
    'refuses %s in production',
    (EXPLORER_URL) => {
      expect(problemOf({ EXPLORER_URL })).toMatch(/^EXPLORER_URL must be/)
    },
  )
})

test.each([
  ['8453', 'ETH'],
  ['137', 'POL'],
  ['43114', 'AVAX'],
  ['80002', 'POL'],
  ['987654', undefined],
])('gas on chain %s is paid in %s', (CHAIN_ID, symbol) => {
  expect(readChain({ ...env, CHAIN_ID }, true).nativeSymbol).toBe(symbol)
})

test('a chain has its name, or its number', () => {
  const name = (CHAIN_ID: string) => readChain({ ...env, CHAIN_ID }, true).name
  expect([name('8453'), name('31337'), name('987654')]).toEqual([
    'Base',
    'Local chain',
    'Chain 987654',
  ])
})
