/**
 * Reads from one node what a vault had paid in the spending period of a payment, from its logs.
 * Where the period began with sums carried from earlier policies, it reads those too. Only for a
 * vault whose code was compared with the artifact.
 */
import type { PeriodFacts, PolicyFacts } from '@countersign/proof/payment-facts.ts'
import { countedSince, type PeriodInForce } from '@countersign/proof/spending-period.ts'
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import { type Address, getAbiItem, type Log, type PublicClient } from 'viem'
import { findPolicyTransactions, readRange } from './log-search.ts'
import { blockFacts, comesBefore, findReceipt } from './receipts.ts'
import { decodeVaultEvent } from './vault-events.ts'

const paymentEvent = getAbiItem({ abi: vaultAbi, name: 'PaymentExecuted' })

type Question = {
  vaultAddress: string
  /** The vault's log of the payment, and the time of its block. */
  execution: Log
  timeSeconds: number
  policy: PolicyFacts
}

type PolicyInForce = PeriodInForce & { version: number; blockNumber: number }

export async function readPeriod(
  client: PublicClient,
  { vaultAddress, execution, timeSeconds, policy }: Question,
): Promise<PeriodFacts> {
  const policies = await readPolicies(client, { vaultAddress, policy, timeSeconds })
  const since = countedSince(policies, timeSeconds)
  const toBlock = Number(execution.blockNumber)
  // Nothing that counts was paid before the first of these policies.
  const earliest = Math.min(policies[0]?.blockNumber ?? 0, toBlock)
  const fromBlock = await firstBlockSince(client, { since, fromBlock: earliest, toBlock })
  const address = vaultAddress as Address
  const [logs, spentBefore] = await Promise.all([
    readRange({ fromBlock, toBlock }, (range) =>
      client.getLogs({ address, event: paymentEvent, ...range }),
    ),
    readSpentBefore(client, { address, policies, fromBlock }),
  ])
  return {
    policies: policies.map(({ periodSeconds, inForceFrom }) => ({ periodSeconds, inForceFrom })),
    countedSince: since,
    spentBefore,
    payments: logs
      .filter((log) => !comesBefore(execution, log))
      .flatMap((log) => {
        const event = decodeVaultEvent(log)
        if (event?.name !== 'PaymentExecuted') return []
        const { chainPaymentId, mode, amount, spentTotal } = event
        return [{ chainPaymentId, mode, amount, spentTotal }]
      }),
  }
}

/** Before its first policy a vault pays nothing; a block earlier it may not even exist. */
async function readSpentBefore(
  client: PublicClient,
  {
    address,
    policies: [first],
    fromBlock,
  }: { address: Address; policies: readonly PolicyInForce[]; fromBlock: number },
): Promise<bigint> {
  const isFirst = first?.version === 1 && fromBlock <= first.blockNumber
  if (isFirst || fromBlock === 0) return 0n
  return client.readContract({
    address,
    abi: vaultAbi,
    functionName: 'spentTotal',
    blockNumber: BigInt(fromBlock - 1),
  })
}

/** In chain order, back to the first whose sums were not carried. */
async function readPolicies(
  client: PublicClient,
  { vaultAddress, policy, timeSeconds }: Omit<Question, 'execution'>,
): Promise<PolicyInForce[]> {
  let policies: PolicyInForce[] = [toPolicy(policy.policy.periodSeconds, policy)]
  for (;;) {
    const [first] = policies
    const isCarried = first && countedSince(policies, timeSeconds) === first.inForceFrom
    if (!isCarried || first.version <= 1) return policies
    policies = [await readPolicyBefore(client, vaultAddress, first), ...policies]
  }
}

const toPolicy = (
  periodSeconds: number,
  place: { version: number; blockNumber: number; timeSeconds: number },
): PolicyInForce => ({
  periodSeconds,
  inForceFrom: place.timeSeconds,
  version: place.version,
  blockNumber: place.blockNumber,
})

async function readPolicyBefore(
  client: PublicClient,
  vaultAddress: string,
  { version: next, blockNumber }: PolicyInForce,
): Promise<PolicyInForce> {
  const version = next - 1
  const query = { vaultAddress, version: BigInt(version), blockNumber }
  for (const hash of await findPolicyTransactions(client, query)) {
    const receipt = await findReceipt(client, hash)
    for (const log of receipt?.logs ?? []) {
      const event = log.address.toLowerCase() === vaultAddress ? decodeVaultEvent(log) : undefined
      if (!receipt || event?.name !== 'PolicyConfigured' || event.version !== version) continue
      const { timeSeconds } = await blockFacts(client, receipt)
      const place = { version, blockNumber: Number(receipt.blockNumber), timeSeconds }
      return toPolicy(event.policy.periodSeconds, place)
    }
  }
  throw new Error(`The node has no log of version ${version} of the policy`)
}

/** The first block of a range whose time is not before a moment; the last one if all are. */
async function firstBlockSince(
  client: PublicClient,
  { since, fromBlock, toBlock }: { since: number; fromBlock: number; toBlock: number },
): Promise<number> {
  let [low, high] = [fromBlock, toBlock]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const { timestamp } = await client.getBlock({ blockNumber: BigInt(middle) })
    if (timestamp < BigInt(since)) low = middle + 1
    else high = middle
  }
  return low
}
