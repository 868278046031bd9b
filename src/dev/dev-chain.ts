/** The development chain with its test USDC, and a faucet for both. */
import { type Address, encodeFunctionData, type Hex, hexToNumber, parseAbi } from 'viem'
import { addSeconds, toDate } from '#platform/clock.ts'
import type { RpcRequest } from './chain-node.ts'
import { type LocalChainOptions, startLocalChain } from './local-chain.ts'
import { testUsdcCreationCode } from './test-usdc-artifact.ts'

export type DevFaucet = {
  give(input: { address: Address; wei: bigint; baseUnits: bigint }): Promise<Hex[]>
  /** As the token's issuer may: from now on the address can neither send nor receive. */
  blacklist(address: Address): Promise<Hex>
}

export type DevChain = {
  rpcUrl: string
  /** What the URL answers, without HTTP. */
  request(asked: RpcRequest): Promise<unknown>
  tokenAddress: Address
  faucet: DevFaucet
  newestBlockTime(): Promise<Date>
  failed: Promise<never>
  stop(): Promise<void>
}

const issuerAbi = parseAbi([
  'function mint(address to, uint256 amount)',
  'function setBlacklisted(address account, bool blacklisted)',
])

export async function startDevChain(options: LocalChainOptions): Promise<DevChain> {
  const chain = await startLocalChain(options)
  try {
    const tokenAddress = await chain.deployOnce({ name: 'test-usdc', data: testUsdcCreationCode })
    const mint = ({ address, baseUnits }: { address: Address; baseUnits: bigint }) =>
      chain.send({
        to: tokenAddress,
        data: encodeFunctionData({
          abi: issuerAbi,
          functionName: 'mint',
          args: [address, baseUnits],
        }),
      })
    const faucet: DevFaucet = {
      async give({ address, wei, baseUnits }) {
        const hashes: Hex[] = []
        if (wei > 0n) hashes.push(await chain.fund({ address, wei }))
        if (baseUnits > 0n) hashes.push(await mint({ address, baseUnits }))
        return hashes
      },
      blacklist: (address) =>
        chain.send({
          to: tokenAddress,
          data: encodeFunctionData({
            abi: issuerAbi,
            functionName: 'setBlacklisted',
            args: [address, true],
          }),
        }),
    }
    const { rpcUrl, request, failed } = chain
    const newestBlockTime = async () => {
      const asked = { method: 'eth_getBlockByNumber', params: ['latest', false] }
      const { timestamp } = (await request(asked)) as { timestamp: Hex }
      return addSeconds(toDate('1970-01-01'), hexToNumber(timestamp))
    }
    const stop = () => chain.stop()
    return { rpcUrl, request, tokenAddress, faucet, newestBlockTime, failed, stop }
  } catch (error) {
    await chain.stop()
    throw error
  }
}
