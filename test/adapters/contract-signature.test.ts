import { type Address, encodeFunctionData, type Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createViemChain } from '#adapters/chain/viem-chain.ts'
import { type Bench, openBench } from '#test/chain/bench.ts'
import { type RpcProxy, startRpcProxy } from '#test/chain/rpc-proxy.ts'
import { startTestChain, type TestChain, type TestWallet } from '#test/support/chain.ts'
import { compileMocks, deployMock, type Mock } from './mocks.ts'
import { CHAIN_ID, FEES, randomHash } from './payer.ts'

let real: TestChain
let bench: Bench
let mocks: Record<string, Mock>
let proxy: RpcProxy
let wallet: Address

const digest = randomHash()
const signature: Hex = `0x${'5a'.repeat(97)}`

beforeAll(async () => {
  real = await startTestChain()
  bench = await openBench(real)
  mocks = await compileMocks(['Wallets'])
  proxy = await startRpcProxy(real.rpcUrl)
  wallet = await deployMock(bench, mocks.ContractWallet)
  await accept(wallet)
})
afterAll(async () => {
  await proxy.stop()
  await real.stop()
})

const accept = (to: Address) =>
  bench.send(bench.owner, {
    to,
    data: encodeFunctionData({
      abi: mocks.ContractWallet?.abi ?? [],
      functionName: 'accept',
      args: [digest, signature],
    }),
  })
const isValid = (address: string, more: { digest?: Hex; signature?: Hex } = {}) =>
  bench.chain.isValidSignature({ address: address.toLowerCase(), digest, signature, ...more })

describe('ERC-1271 verification of a contract', () => {
  test('accepts what the contract accepts', async () => {
    expect(await isValid(wallet)).toBe(true)
  })

  test('rejects another digest or signature', async () => {
    expect(await isValid(wallet, { digest: randomHash() })).toBe(false)
    expect(await isValid(wallet, { signature: '0x' })).toBe(false)
    expect(await isValid(wallet, { signature: `${signature}00` })).toBe(false)
  })

  /** As the vault does: the first word must be the magic value and nothing else. */
  const kinds = ['Silent', 'Short', 'Reverting', 'Burning', 'WrongWord', 'BareTrue', 'LeftAligned']
  test.for([...kinds, 'Long'].map((kind, index) => [kind, index] as const))(
    'treats a contract that is %s as the vault does',
    async ([kind, index]) => {
      const odd = await deployMock(bench, mocks.OddWallet, [index])
      expect(await isValid(odd)).toBe(kind === 'Long')
    },
  )

  test('rejects the token and a vault as signers', async () => {
    expect(await isValid(real.tokenAddress)).toBe(false)
    expect(await isValid((await bench.addVault()).address)).toBe(false)
  })
})

/** Its key still signs by ECDSA; what its delegate accepts counts too (EIP-7702). */
async function delegate({ account }: TestWallet, contractAddress: Address): Promise<void> {
  const own = { chainId: CHAIN_ID, nonce: 1 }
  const raw = await account.signTransaction({
    type: 'eip7702',
    chainId: CHAIN_ID,
    nonce: 0,
    gas: 100_000n,
    to: bench.recipient,
    authorizationList: [await account.signAuthorization({ ...own, contractAddress })],
    ...FEES,
  })
  expect((await bench.resend(raw)).status).toBe('success')
}

describe("ERC-1271 verification of a key's account", () => {
  test('rejects it, because it has no code', async () => {
    const { address, account } = await real.wallet()
    expect(await isValid(address)).toBe(false)
    expect(await isValid(address, { signature: await account.sign({ hash: digest }) })).toBe(false)
  })

  test('accepts what its delegate contract accepts', async () => {
    const delegated = await real.wallet()
    await delegate(delegated, wallet)
    expect(await isValid(delegated.address)).toBe(false)
    await accept(delegated.address)
    expect(await isValid(delegated.address)).toBe(true)
    expect(await isValid(delegated.address, { digest: randomHash() })).toBe(false)
  })
})

describe('ERC-1271 verification on a chain', () => {
  const over = (...rpcUrls: string[]) =>
    createViemChain({
      chainId: CHAIN_ID,
      rpcUrls,
      tokenAddress: real.tokenAddress,
      confirmations: 1,
    })
  const asked = () => ({ address: wallet.toLowerCase(), digest, signature })

  test('that is unreachable is inconclusive', async () => {
    const away = over('http://127.0.0.1:1')
    await expect(away.isValidSignature(asked())).rejects.toMatchObject({
      code: 'dependency_unavailable',
    })
  })

  test.for([
    ['fails at the call', '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"pruned"}}'],
    ['answers with an unexpected result', '{"jsonrpc":"2.0","id":1,"result":"0xzz"}'],
  ] as const)('whose only node %s is inconclusive', async ([, text]) => {
    proxy.trouble = ({ method }) => (method === 'eth_call' ? { status: 200, text } : undefined)
    await expect(over(proxy.url).isValidSignature(asked())).rejects.toMatchObject({
      code: 'dependency_unavailable',
    })
    expect(await over(proxy.url, real.rpcUrl).isValidSignature(asked())).toBe(true)
    proxy.heal()
  })

  test('whose nodes disagree is inconclusive', async () => {
    proxy.tamper = ({ method }, result) => (method === 'eth_call' ? `0x${'00'.repeat(32)}` : result)
    await expect(over(proxy.url, real.rpcUrl).isValidSignature(asked())).rejects.toMatchObject({
      code: 'dependency_unavailable',
      message: 'The chain nodes disagree. Retry shortly.',
    })
    proxy.heal()
  })
})
