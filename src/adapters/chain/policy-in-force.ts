/** Reads from one node the vault at an address and its policy in force. */
import type { DecodedPolicy } from '@countersign/proof/owner-call.ts'
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import { type Address, type Hash, type PublicClient, parseEventLogs } from 'viem'
import { findPolicyTransactions } from './log-search.ts'
import { constructedFrom } from './vault-identity.ts'

export type OnChainVault = {
  owner: Address
  token: Address
  version: bigint
  /** Null before the first policy. `paused` is current, including an emergency pause. */
  policy: DecodedPolicy | null
}

/** Null when the code at the address is not the published vault. */
export async function readOnChainVault(
  client: PublicClient,
  { address, chainId }: { address: Address; chainId: number },
): Promise<OnChainVault | null> {
  const blockNumber = await client.getBlockNumber({ cacheTime: 0 })
  const code = await client.getCode({ address, blockNumber })
  const made = code && constructedFrom(code, { address, chainId })
  if (!made) return null
  const vault = { address, abi: vaultAbi, blockNumber } as const
  const version = await client.readContract({ ...vault, functionName: 'policyVersion' })
  const { owner, token } = made
  if (version === 0n) return { owner, token, version, policy: null }
  const { paused } = await client.readContract({ ...vault, functionName: 'policy' })
  const logged = await findPolicy(client, { address, version, blockNumber: Number(blockNumber) })
  return { owner, token, version, policy: { ...logged, paused } }
}

/** Only the log has the address lists; the vault's getters answer for a single address. */
async function findPolicy(
  client: PublicClient,
  { address, version, blockNumber }: { address: Address; version: bigint; blockNumber: number },
): Promise<DecodedPolicy> {
  const asked = { vaultAddress: address, version, blockNumber }
  for (const hash of await findPolicyTransactions(client, asked)) {
    const { logs } = await client.getTransactionReceipt({ hash: hash as Hash })
    const found = parseEventLogs({ abi: vaultAbi, eventName: 'PolicyConfigured', logs }).find(
      (log) => log.address.toLowerCase() === address.toLowerCase() && log.args.version === version,
    )
    if (found) return found.args.config
  }
  throw new Error('The node has no log of the policy in force')
}
