/** Reads from one node the logs of vaults and the token's transfers to and from them. */
import { type Address, type Hash, type Hex, type PublicClient, parseAbi, zeroAddress } from 'viem'
import type { VaultEvent, VaultLog } from '#ports/chain.ts'
import { decodeVaultEvent } from './vault-events.ts'

/**
 * The newest blocks are queried by hash. One URL can stand for several nodes, and a node that lags
 * behind silently omits missing blocks from a range; for an unknown hash it returns an error. No
 * node lags so far behind that it lacks final blocks.
 */
const BLOCKS_BY_HASH = 8n

const [transfer] = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
])

type Filter = { vaults: readonly string[]; tokenAddress: string }
type Blocks = { fromBlock: bigint; toBlock: bigint } | { blockHash: Hash }

type RpcLog = {
  address: Address
  topics: readonly Hex[]
  data: Hex
  blockNumber: bigint | null
  blockHash: Hash | null
  logIndex: number | null
  transactionHash: Hash | null
}

export async function readLogs(
  client: PublicClient,
  {
    fromBlock,
    toBlock,
    hashes,
    isFinal,
    ...filter
  }: Filter & {
    fromBlock: bigint
    toBlock: bigint
    hashes: ReadonlyMap<bigint, Hash>
    isFinal: boolean
  },
): Promise<VaultLog[]> {
  const last = isFinal ? toBlock : toBlock - BLOCKS_BY_HASH
  const older = fromBlock <= last ? await logsIn(client, { fromBlock, toBlock: last }, filter) : []
  const first = fromBlock <= last ? last + 1n : fromBlock
  const numbers = Array.from({ length: Number(toBlock - first) + 1 }, (_, at) => first + BigInt(at))
  const newest = await Promise.all(
    numbers.map(async (blockNumber) => {
      const blockHash = hashes.get(blockNumber) ?? (await client.getBlock({ blockNumber })).hash
      return logsIn(client, { blockHash }, filter)
    }),
  )
  return [...older, ...newest.flat()]
}

async function logsIn(
  client: PublicClient,
  blocks: Blocks,
  { vaults, tokenAddress }: Filter,
): Promise<VaultLog[]> {
  const addresses = vaults.map((vault) => vault as Address)
  const token = { address: tokenAddress as Address, event: transfer, ...blocks }
  const [own, received, sent] = await Promise.all([
    client.getLogs({ address: addresses, ...blocks }),
    client.getLogs({ ...token, args: { to: addresses } }),
    client.getLogs({ ...token, args: { from: addresses } }),
  ])
  return [
    ...own.flatMap((log) => {
      const event = decodeVaultEvent(log)
      return event ? [toVaultLog(log, log.address, event)] : []
    }),
    ...received.filter(isBetweenTwo).map((log) => {
      const { from = zeroAddress, to = zeroAddress, value = 0n } = log.args
      return toVaultLog(log, to, { name: 'TokenReceived', from: lower(from), amount: value })
    }),
    ...sent.filter(isBetweenTwo).map((log) => {
      const { from = zeroAddress, to = zeroAddress, value = 0n } = log.args
      return toVaultLog(log, from, { name: 'TokenSent', to: lower(to), amount: value })
    }),
  ]
}

const lower = (hex: string): string => hex.toLowerCase()

/** Ignores transfers to self: anybody can emit one of zero tokens in a vault's name. */
const isBetweenTwo = ({
  args,
}: {
  args: { from?: Address | undefined; to?: Address | undefined }
}): boolean => args.from !== args.to

const toVaultLog = (log: RpcLog, vaultAddress: string, event: VaultEvent): VaultLog => ({
  vaultAddress: lower(vaultAddress),
  blockNumber: Number(log.blockNumber),
  blockHash: log.blockHash ?? '',
  logIndex: Number(log.logIndex),
  transactionHash: log.transactionHash ?? '',
  event,
})
