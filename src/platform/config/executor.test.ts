import { checksummed } from '@countersign/proof/values.ts'
import { describe, expect, test } from 'vitest'
import { StartupError } from '#platform/errors.ts'
import { readExecutorConfig } from './executor.ts'

const secret = 'c5'.repeat(32)
const circle = {
  EXECUTOR_PROVIDER: 'circle',
  CIRCLE_API_KEY: 'LIVE_API_KEY:hunter2:hunter2',
  CIRCLE_ENTITY_SECRET: secret,
}
const organizationId = '0198c0de-0000-7000-8000-000000000001'
const other = '0198c0de-0000-7000-8000-000000000002'
const address = checksummed(`0x${'ab'.repeat(20)}`)
const commandLine = {
  EXECUTOR_PROVIDER: 'command_line',
  COMMAND_LINE_PROGRAM: '/opt/circle/bin/circle',
  COMMAND_LINE_HOME: '/var/lib/countersign',
  COMMAND_LINE_WALLETS: `${organizationId}=${address}`,
  PATH: '/usr/bin',
}
const base = { production: true, chainId: 8_453 }

/** The one line, which never repeats a secret. */
function problemOf(env: Record<string, string>, surroundings = base): string {
  try {
    readExecutorConfig(env, surroundings)
  } catch (error) {
    expect(error).toBeInstanceOf(StartupError)
    const { message } = error as StartupError
    expect(message).not.toMatch(/hunter2|c5c5|[\n\r]/)
    return message
  }
  return 'no problem'
}

describe('the executor', () => {
  test('is local unless another is named, whatever else is set', () => {
    expect(readExecutorConfig({}, base)).toEqual({ provider: 'local' })
    expect(readExecutorConfig({ ...circle, EXECUTOR_PROVIDER: '' }, base)).toEqual({
      provider: 'local',
    })
    expect(problemOf({ EXECUTOR_PROVIDER: 'paper' })).toMatch(/^EXECUTOR_PROVIDER must be one of/)
  })
})

describe('Circle', () => {
  test('needs its key and secret, and the rest has defaults', () => {
    expect(readExecutorConfig(circle, base)).toEqual({
      provider: 'circle',
      url: 'https://api.circle.com',
      apiKey: circle.CIRCLE_API_KEY,
      entitySecret: Buffer.from(secret, 'hex'),
      walletSetId: undefined,
      blockchain: 'BASE',
      accountType: 'EOA',
      feeLevel: 'MEDIUM',
    })
    const chosen = {
      CIRCLE_URL: 'http://127.0.0.1:9/',
      CIRCLE_WALLET_SET_ID: organizationId,
      CIRCLE_ACCOUNT_TYPE: 'SCA',
      CIRCLE_FEE_LEVEL: 'HIGH',
    }
    expect(readExecutorConfig({ ...circle, ...chosen }, base)).toMatchObject({
      url: 'http://127.0.0.1:9',
      walletSetId: organizationId,
      accountType: 'SCA',
      feeLevel: 'HIGH',
    })
  })

  test.each([
    ['no key', { CIRCLE_API_KEY: '' }, /needs CIRCLE_API_KEY, CIRCLE_ENTITY_SECRET/],
    ['no secret', { CIRCLE_ENTITY_SECRET: '' }, /needs CIRCLE_API_KEY, CIRCLE_ENTITY_SECRET/],
    [
      'a key of two parts',
      { CIRCLE_API_KEY: 'hunter2:hunter2' },
      /^CIRCLE_API_KEY must have three/,
    ],
    ['a key with a blank', { CIRCLE_API_KEY: 'a:b:hunter2 ' }, /^CIRCLE_API_KEY must be 1 to/],
    ['a short secret', { CIRCLE_ENTITY_SECRET: 'c5c5' }, /^CIRCLE_ENTITY_SECRET must be the 32/],
    [
      'not hexadecimal',
      { CIRCLE_ENTITY_SECRET: 'x'.repeat(64) },
      /^CIRCLE_ENTITY_SECRET must be the 32/,
    ],
    ['no set', { CIRCLE_WALLET_SET_ID: 'hunter2' }, /^CIRCLE_WALLET_SET_ID must be/],
    ['plain http', { CIRCLE_URL: 'http://circle.example' }, /^CIRCLE_URL must be a https/],
    ['a password', { CIRCLE_URL: 'https://a:hunter2@circle.example' }, /^CIRCLE_URL must be/],
    ['another account type', { CIRCLE_ACCOUNT_TYPE: 'MPC' }, /^CIRCLE_ACCOUNT_TYPE must be one of/],
    ['another fee level', { CIRCLE_FEE_LEVEL: 'high' }, /^CIRCLE_FEE_LEVEL must be one of/],
    ['another chain', { CIRCLE_BLOCKCHAIN: 'ETH' }, /^CIRCLE_BLOCKCHAIN must be BASE for/],
    [
      'a test key',
      { CIRCLE_API_KEY: 'TEST_API_KEY:a:hunter2' },
      /test networks, but BASE is not one/,
    ],
  ])('%s is refused', (_what, change, line) => {
    expect(problemOf({ ...circle, ...change })).toMatch(line)
  })

  test('needs the name of a chain that it does not know', () => {
    const unknown = { ...base, chainId: 31_337 }
    expect(problemOf(circle, unknown)).toBe(
      'Set CIRCLE_BLOCKCHAIN: Circle has no name for chain 31337.',
    )
    const named = { ...circle, CIRCLE_BLOCKCHAIN: 'NEW-CHAIN' }
    expect(readExecutorConfig(named, unknown)).toMatchObject({ blockchain: 'NEW-CHAIN' })
    expect(problemOf({ ...circle, CIRCLE_BLOCKCHAIN: '-- x' }, unknown)).toMatch(/Circle's name/)
  })
})

describe('the command-line executor', () => {
  test('needs the program and the wallets', () => {
    expect(readExecutorConfig(commandLine, base)).toEqual({
      provider: 'command_line',
      program: '/opt/circle/bin/circle',
      home: '/var/lib/countersign',
      path: '/usr/bin',
      blockchain: 'BASE',
      network: 'mainnet',
      wallets: new Map([[organizationId, address.toLowerCase()]]),
    })
    const { COMMAND_LINE_HOME: _home, ...homeless } = commandLine
    const env = { ...homeless, HOME: '/root' }
    const sepolia = { production: false, chainId: 84_532 }
    expect(readExecutorConfig(env, sepolia)).toMatchObject({ home: '/root', network: 'testnet' })
  })

  const wallets = (text: string) => ({ COMMAND_LINE_WALLETS: text })
  test.each([
    ['no program', { COMMAND_LINE_PROGRAM: '' }, /needs COMMAND_LINE_PROGRAM, COMMAND_LINE_W/],
    ['no wallets', wallets(''), /needs COMMAND_LINE_PROGRAM, COMMAND_LINE_W/],
    [
      'a relative path of the program',
      { COMMAND_LINE_PROGRAM: 'circle' },
      /must be the absolute path/,
    ],
    ['a relative path of the home', { COMMAND_LINE_HOME: 'here' }, /^COMMAND_LINE_HOME must be/],
    ['another chain', { COMMAND_LINE_BLOCKCHAIN: 'ETH' }, /^COMMAND_LINE_BLOCKCHAIN must be BASE/],
    ['no organization', wallets(address), /must be pairs/],
    ['no address', wallets(`${organizationId}=x`), /must be pairs/],
    [
      'a wrong checksum',
      wallets(`${organizationId}=0x${'aB'.repeat(20)}`),
      /^COMMAND_LINE_WALLETS: 0x(?:aB){20} has a wrong EIP-55 checksum/,
    ],
    ['trailing text', wallets(`${organizationId}=${address}=1`), /must be pairs/],
    ['a trailing comma', wallets(`${organizationId}=${address},`), /must be pairs/],
    [
      'a wallet of two organizations',
      wallets(`${organizationId}=${address}, ${other}=${address}`),
      /every organization and wallet once/,
    ],
  ])('%s is refused', (_what, change, line) => {
    expect(problemOf({ ...commandLine, ...change })).toMatch(line)
  })
})
