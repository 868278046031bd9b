/** POST /faucet of the development helper, on a chain of its own. */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Address, createPublicClient, type Hex, http } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { devRealm } from '#dev/defaults.ts'
import { type DevChain, type DevFaucet, startDevChain } from '#dev/dev-chain.ts'
import { startHelperServer } from '#dev/helper-server.ts'
import { createDevIdentity } from '#dev/identity.ts'
import { createIds, systemClock } from '#platform/clock.ts'
import { tokenAbi } from '#test/support/chain.ts'

let folder: string
let chain: DevChain
let helper: Awaited<ReturnType<typeof startHelperServer>>
let faucet: DevFaucet | undefined

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-faucet-'))
  chain = await startDevChain({ folder, port: 0, clock: systemClock, mineAfterMs: 5 })
  faucet = chain.faucet
  const realms = { consumer: devRealm('consumer', 0), admin: devRealm('admin', 0) }
  helper = await startHelperServer({
    port: 0,
    ids: createIds(),
    identity: await createDevIdentity({ folder, realms, clock: systemClock }),
    about: () => undefined,
    faucet: () => faucet,
  })
})
afterAll(async () => {
  await helper.close()
  await chain.stop()
  await rm(folder, { recursive: true, force: true })
})

const anybody = (): Address => `0x${randomBytes(20).toString('hex')}`

type Told = { transactionHashes: Hex[]; error: { code: string } }

async function ask(body: unknown) {
  const { port } = helper.server.address() as AddressInfo
  const answer = await fetch(`http://127.0.0.1:${port}/faucet`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: answer.status, body: (await answer.json()) as Told }
}

async function balancesOf(address: Address): Promise<[wei: bigint, baseUnits: bigint]> {
  const client = createPublicClient({ transport: http(chain.rpcUrl) })
  const token = { address: chain.tokenAddress, abi: tokenAbi }
  return [
    await client.getBalance({ address }),
    await client.readContract({ ...token, functionName: 'balanceOf', args: [address] }),
  ]
}

const mined = (hashes: Hex[]) => {
  const client = createPublicClient({ transport: http(chain.rpcUrl), pollingInterval: 20 })
  return Promise.all(hashes.map((hash) => client.waitForTransactionReceipt({ hash })))
}

describe('POST /faucet', () => {
  test.each<[string, { native?: string; token?: string }, [bigint, bigint]]>([
    ['both coins', { native: '5', token: '7' }, [5n, 7n]],
    ['tokens only', { token: '1000000' }, [0n, 1_000_000n]],
    ['gas only', { native: '123' }, [123n, 0n]],
    ['some gas by default', {}, [10n ** 18n, 0n]],
  ])('sends %s and returns the transaction hashes', async (_name, wish, balances) => {
    const address = anybody()
    const { status, body } = await ask({ address, ...wish })
    expect(status).toBe(200)
    const gifts = balances.filter((amount) => amount > 0n)
    expect(body.transactionHashes).toHaveLength(gifts.length)
    const receipts = await mined(body.transactionHashes)
    expect(receipts.map((receipt) => receipt.status)).toEqual(gifts.map(() => 'success'))
    expect(await balancesOf(address)).toEqual(balances)
  })

  test('serves many concurrent requests', async () => {
    const people = Array.from({ length: 10 }, anybody)
    const answers = await Promise.all(
      people.map((address) => ask({ address, native: '3', token: '4' })),
    )
    await mined(answers.flatMap(({ body }) => body.transactionHashes))
    for (const address of people) expect(await balancesOf(address)).toEqual([3n, 4n])
  })

  test.each([
    ['no address', { token: '1' }],
    ['a malformed address', { address: '0x1' }],
    ['an amount that is a number', { address: anybody(), token: 1 }],
    ['a negative amount', { address: anybody(), native: '-1' }],
    ['more than it has', { address: anybody(), native: '1'.padEnd(40, '0') }],
    ['an unknown field', { address: anybody(), gas: '1' }],
  ])('refuses %s with 400', async (_name, body) => {
    const answer = await ask(body)
    expect([answer.status, answer.body.error.code]).toEqual([400, 'validation_failed'])
  })

  test('is 503 on an external chain', async () => {
    faucet = undefined
    const answer = await ask({ address: anybody() })
    expect([answer.status, answer.body.error.code]).toEqual([503, 'dependency_unavailable'])
    faucet = chain.faucet
  })
})
