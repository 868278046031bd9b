/** `npm run decode` describes an owner's transaction, offline or against a node. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { encodeDeployment, encodePolicy } from '#adapters/chain/vault-codec.ts'
import { cleanUp, makeFolder, runScript } from '#test/processes/processes.ts'
import {
  CHAIN_ID,
  openPayer,
  openVault,
  type Payer,
  type PayingVault,
  policyOf,
} from '#test/support/paying-vaults.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 90_000 })

let folder: string
let payer: Payer
let vault: PayingVault

beforeAll(async () => {
  folder = await makeFolder()
  payer = await openPayer()
  vault = await openVault(payer)
})
afterAll(async () => {
  await payer.chain.stop()
  await cleanUp()
})

let files = 0

async function decode(content: unknown, ...more: string[]) {
  files += 1
  const path = join(folder, `transaction-${files}.json`)
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
  return decodeArguments(path, ...more)
}

async function decodeArguments(...args: string[]) {
  const running = runScript('src/cli/decode.ts', {}, args)
  const { code } = await running.ended
  return { code, stdout: running.stdout(), stderr: running.stderr() }
}

const intent = (more: Partial<PayingVault['policy']> = {}, expectedVersion = 1) =>
  encodePolicy({
    chainId: CHAIN_ID,
    vaultAddress: vault.address,
    ownerAddress: payer.owner.address,
    expectedVersion,
    policy: policyOf(payer, more),
  })
const withNode = () => ['--rpc', payer.chain.rpcUrl]

describe('npm run decode', () => {
  test('prints a deployment offline and exits with 0', async () => {
    const { transaction } = encodeDeployment({
      chainId: CHAIN_ID,
      tokenAddress: payer.chain.tokenAddress,
      ownerAddress: payer.owner.address,
      organizationHash: vault.organizationHash,
    })
    const { code, stdout, stderr } = await decode(transaction)
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain('code: the published vault, byte for byte')
    expect(stdout).toContain(`owner: ${payer.owner.address}`)
  })

  test('prints what a policy changes in the current one and exits with 0', async () => {
    const stranger = await payer.chain.wallet({ wei: 0n })
    const changes = {
      approvedCap: 2_000n,
      recipientAddresses: [stranger.address.toLowerCase()],
    }
    const { code, stdout, stderr } = await decode(intent(changes), ...withNode())
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain('policy in force: version 1')
    expect(stdout).toContain('change: approvedCap: 1000 -> 2000')
    expect(stdout).toContain(`change: recipients: adds ${stranger.address}`)
    expect(stdout).toContain(`change: recipients: removes ${payer.recipient}`)
    expect((await decode(intent(), ...withNode())).stdout).toContain('change: none')
  })

  test('exits with 1 for an API answer that misstates its transaction', async () => {
    const policy = policyOf(payer)
    const stated = {
      ...policy,
      ...{ approvedCap: '1000', automaticCap: '500', lifetimeCap: '1000000', reserveFloor: '0' },
      expiresAt: '2096-10-02T07:06:40.000Z',
    }
    expect(await decode({ ...stated, transaction: intent() })).toMatchObject({ code: 0 })
    const { code, stdout, stderr } = await decode({
      ...stated,
      transaction: intent({ approvedCap: 9_000n }),
    })
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain('DO NOT SIGN: approvedCap is stated as 1000, but is 9000.')
  })

  test('exits with 1 for a stale version, another chain or a missing vault', async () => {
    const stale = await decode(intent({}, 4), ...withNode())
    expect([stale.code, stale.stderr]).toEqual([
      1,
      expect.stringContaining('version 1 is in force'),
    ])
    const elsewhere = await decode({ ...intent(), chainId: 1 }, ...withNode())
    expect(elsewhere.stderr).toContain('DO NOT SIGN: The node serves chain 31337')
    const nowhere = await decode({ ...intent(), to: payer.recipient }, ...withNode())
    expect([nowhere.code, nowhere.stderr]).toEqual([
      1,
      expect.stringContaining('not the published'),
    ])
  })

  test('exits with 1 and no stack for a call that an owner never needs to sign', async () => {
    const { code, stderr } = await decode({ ...intent(), data: '0xdeadbeef' })
    expect(code).toBe(1)
    expect(stderr).toMatch(/^DO NOT SIGN: It calls 0xdeadbeef, [^\n]*\n$/)
  })

  test('exits with 2 for unreadable input or wrong usage, and 4 for a silent node', async () => {
    expect(await decode('{')).toMatchObject({ code: 2, stderr: expect.stringContaining('JSON') })
    const usage = { code: 2, stderr: expect.stringContaining('Usage: npm run decode') }
    expect(await decodeArguments()).toMatchObject(usage)
    const silent = await decode(intent(), '--rpc', 'http://127.0.0.1:9')
    expect(silent).toMatchObject({ code: 4, stderr: expect.stringContaining('did not answer') })
  })
})
