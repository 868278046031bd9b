/** An operator's command line for a funding signer at Privy. */
import { randomUUID } from 'node:crypto'
import { parseAbi } from 'viem'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { policyDifference } from '#adapters/privy/privy-policy.ts'
import { main } from '#cli/funding.ts'
import { commandHere } from '#test/processes/commands.ts'
import { productionWorker } from '#test/processes/environment.ts'
import { cleanUp, type Environment } from '#test/processes/processes.ts'
import { startTestChain, type TestChain } from '#test/support/chain.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { type PrivyEmulator, startPrivyEmulator } from '#test/support/privy-emulator.ts'
import { askPrivy, EXPIRES_AT, furnish, openSignerBench } from '#test/support/privy-funding.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const VAULT = `0x${'5a'.repeat(20)}`
const rule = {
  chainId: 31_337,
  vaultAddress: VAULT,
  maxAmount: 2_500n,
  expiresAt: EXPIRES_AT,
}

let chain: TestChain
let privy: PrivyEmulator
let database: TestDatabase
let env: Environment

beforeAll(async () => {
  database = await createTestDatabase()
  chain = await startTestChain()
  privy = await startPrivyEmulator({ rpcUrl: chain.rpcUrl })
  env = {
    ...productionWorker(database.url),
    ...{ CHAIN_ID: '31337', RPC_URLS: chain.rpcUrl, TOKEN_ADDRESS: chain.tokenAddress },
    ...{ ...privy.env, ...privy.funding.env },
    PRIVY_FUNDING_EXPIRES_AT: EXPIRES_AT,
    FUNDING_MAX_BASE_UNITS: String(rule.maxAmount),
  }
})
afterAll(async () => {
  await cleanUp()
  await privy.stop()
  await chain.stop()
  await database.drop()
})

const funding = (args: string[]) => commandHere(main, args, env)

test('prints a policy that Privy accepts and returns unchanged', async () => {
  const { policyOwnerId, signerId } = privy.funding
  const { stdout, stderr } = await funding(['policy', VAULT, policyOwnerId])
  expect(stderr).toBe('')
  const made = await askPrivy(privy, { path: '/v1/policies', body: JSON.parse(stdout) })
  expect([made.status, made.body.owner_id]).toEqual([200, policyOwnerId])
  expect(policyDifference(made.body, rule)).toBeUndefined()

  const own = await funding(['policy', VAULT, signerId])
  expect(own).toMatchObject({ code: 1, stderr: expect.stringContaining('must not own its policy') })
})

test('refuses an address with a wrong EIP-55 checksum before calling Privy', async () => {
  const wrong = `0x${'aB'.repeat(20)}`
  const { policyOwnerId } = privy.funding
  for (const args of [
    ['policy', wrong, policyOwnerId],
    ['approve', randomUUID(), wrong],
  ]) {
    const stderr = expect.stringContaining(`${wrong} has a wrong EIP-55 checksum.`)
    expect(await funding(args)).toMatchObject({ code: 1, stdout: '', stderr })
  }
})

test('sends an approval from the owner, for as much as one policy allows', async () => {
  const { wallet, control } = await openSignerBench(privy, rule)
  await furnish(chain, wallet, { vaultAddress: VAULT, baseUnits: 1n })
  const args = ['approve', control.wallet.walletId, VAULT]
  const { code, stdout, stderr } = await funding(args)
  expect([code, stderr]).toEqual([0, ''])
  const [, hash] = /^Sent: (0x[0-9a-f]{64})\n$/.exec(stdout) ?? []
  expect(await chain.mined(hash as `0x${string}`)).toBe('success')
  const allowance = await chain.client.readContract({
    address: chain.tokenAddress,
    abi: parseAbi(['function allowance(address, address) view returns (uint256)']),
    functionName: 'allowance',
    args: [wallet.address as `0x${string}`, VAULT as `0x${string}`],
  })
  expect(allowance).toBe(rule.maxAmount)
})

test('prints its usage for wrong arguments', async () => {
  const usage = expect.stringMatching(/^Usage: npm run funding -- policy/)
  expect(await funding(['policy', 'vault', 'q'])).toMatchObject({ code: 1, stderr: usage })
  expect(await funding(['end', 'action'])).toMatchObject({ code: 1, stderr: usage })
  const nothing = { code: 1, stderr: 'No open funding action has this id.\n' }
  expect(await funding(['end', randomUUID()])).toMatchObject(nothing)
})
