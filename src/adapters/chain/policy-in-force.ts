/** Reads from one node the vault at an address: its policy in force, and what waits. */
import type { DecodedPolicy } from '@countersign/proof/owner-call.ts'
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import { type Address, type Hash, type Hex, type PublicClient, parseEventLogs } from 'viem'
import { findPolicyTransactions } from './log-search.ts'
import { constructedFrom } from './vault-identity.ts'

export type OnChainVault = {
  owner: Address
  token: Address
  changeDelaySeconds: number
  /** Of the newest block. */
  nowSeconds: bigint
  version: bigint
  /** Null before the first policy. `paused` is current, including an emergency pause. */
  policy: DecodedPolicy | null
  pauseNumber: bigint
  recipientsVersion: bigint
  /** Null if no policy waits. */
  proposal: { id: Hex; activatesAt: bigint } | null
  /** The addresses that were asked about, in lower case. */
  accounts: Map<string, OnChainAccount>
}

export type OnChainAccount = {
  /** Of the policy in force, and not revoked. */
  isApprover: boolean
  /** From when on it may be paid; 0 if it is not listed. */
  allowedFrom: bigint
  isBlocked: boolean
}

type Question = { address: Address; chainId: number; accounts: readonly Address[] }

/** Null when the code at the address is not the published vault. */
export async function readOnChainVault(
  client: PublicClient,
  { address, chainId, accounts }: Question,
): Promise<OnChainVault | null> {
  const { number: blockNumber, timestamp } = await client.getBlock()
  const code = await client.getCode({ address, blockNumber })
  const made = code && constructedFrom(code, { address, chainId })
  if (!made) return null
  const vault = { address, abi: vaultAbi, blockNumber } as const
  const version = await client.readContract({ ...vault, functionName: 'policyVersion' })
  const [policy, pauseNumber, recipientsVersion, proposal] = await Promise.all([
    version === 0n ? null : readPolicy(client, { address, version, blockNumber }),
    client.readContract({ ...vault, functionName: 'pauseNumber' }),
    client.readContract({ ...vault, functionName: 'recipientsVersion' }),
    client.readContract({ ...vault, functionName: 'proposal' }),
  ])
  const { owner, token, changeDelaySeconds } = made
  return {
    owner,
    token,
    changeDelaySeconds,
    nowSeconds: timestamp,
    version,
    policy,
    pauseNumber,
    recipientsVersion,
    proposal: BigInt(proposal.id) === 0n ? null : proposal,
    accounts: await readAccounts(client, { address, version, blockNumber, accounts }),
  }
}

type AtBlock = { address: Address; version: bigint; blockNumber: bigint }

async function readPolicy(client: PublicClient, at: AtBlock): Promise<DecodedPolicy> {
  const { address, blockNumber } = at
  const vault = { address, abi: vaultAbi, blockNumber } as const
  const { paused } = await client.readContract({ ...vault, functionName: 'policy' })
  return { ...(await findPolicy(client, at)), paused }
}

/** Only the log has the approvers; the vault's getters answer for a single address. */
async function findPolicy(
  client: PublicClient,
  { address, version, blockNumber }: AtBlock,
): Promise<DecodedPolicy> {
  const asked = { vaultAddress: address, version, blockNumber: Number(blockNumber) }
  for (const hash of await findPolicyTransactions(client, asked)) {
    const { logs } = await client.getTransactionReceipt({ hash: hash as Hash })
    const found = parseEventLogs({ abi: vaultAbi, eventName: 'PolicyConfigured', logs }).find(
      (log) => log.address.toLowerCase() === address.toLowerCase() && log.args.version === version,
    )
    if (found) return found.args.config
  }
  throw new Error('The node has no log of the policy in force')
}

/** Most requests that a node gets at once. */
const AT_ONCE = 25

async function readAccounts(
  client: PublicClient,
  { accounts, ...at }: AtBlock & { accounts: readonly Address[] },
): Promise<Map<string, OnChainAccount>> {
  const found = new Map<string, OnChainAccount>()
  for (let index = 0; index < accounts.length; index += AT_ONCE) {
    const some = accounts.slice(index, index + AT_ONCE)
    const answers = await Promise.all(some.map((account) => readAccount(client, at, account)))
    for (const [position, account] of some.entries()) {
      const answer = answers[position]
      if (answer) found.set(account.toLowerCase(), answer)
    }
  }
  return found
}

async function readAccount(
  client: PublicClient,
  { address, version, blockNumber }: AtBlock,
  account: Address,
): Promise<OnChainAccount> {
  const vault = { address, abi: vaultAbi, blockNumber } as const
  const [isApprover, { allowedFrom, blocked }] = await Promise.all([
    client.readContract({ ...vault, functionName: 'isApprover', args: [version, account] }),
    client.readContract({ ...vault, functionName: 'recipientOf', args: [account] }),
  ])
  return { isApprover, allowedFrom, isBlocked: blocked }
}
