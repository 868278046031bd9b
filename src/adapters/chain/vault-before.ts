/**
 * Reads the vault's state just before one of its logs: its getters one block earlier, and the logs
 * of the block up to that one. Only for a vault whose code was compared with the artifact, since
 * getters of any other contract can answer anything.
 */
import type { VaultBefore } from '@countersign/proof/payment-facts.ts'
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import type { Address, Log, PublicClient } from 'viem'
import type { VaultEvent } from '#ports/chain.ts'
import { comesBefore } from './receipts.ts'
import { decodeVaultEvent } from './vault-events.ts'

type Question = {
  /** The vault's log of the payment. */
  execution: Log
  policyVersion: number
  recipientAddress: string
  /** The addresses for which it matters whether they are approvers. */
  asked: readonly string[]
}

export async function readVaultBefore(
  client: PublicClient,
  question: Question,
): Promise<VaultBefore> {
  const { execution, recipientAddress, policyVersion, asked } = question
  const blockNumber = BigInt(execution.blockNumber ?? 0)
  const vault = {
    address: execution.address,
    abi: vaultAbi,
    blockNumber: blockNumber - 1n,
  } as const
  const [recipient, approvals, events] = await Promise.all([
    client.readContract({
      ...vault,
      functionName: 'recipientOf',
      args: [recipientAddress as Address],
    }),
    Promise.all(
      asked.map((one) =>
        client.readContract({
          ...vault,
          functionName: 'isApprover',
          args: [BigInt(policyVersion), one as Address],
        }),
      ),
    ),
    eventsBefore(client, execution),
  ])
  const before: VaultBefore = {
    allowedFromSeconds: Number(recipient.allowedFrom),
    isBlocked: recipient.blocked,
    approverAddresses: asked.filter((_one, index) => approvals[index]),
  }
  return events.reduce((state, event) => after(state, event, question), before)
}

/** Queried by the block's hash, so that a node that lacks the block cannot omit its logs. */
async function eventsBefore(client: PublicClient, execution: Log): Promise<VaultEvent[]> {
  const { address, blockHash } = execution
  if (blockHash === null) throw new Error('The node has a receipt without a block')
  const logs = await client.getLogs({ address, blockHash })
  return logs
    .filter((log) => comesBefore(log, execution))
    .flatMap((log) => decodeVaultEvent(log) ?? [])
}

function after(state: VaultBefore, event: VaultEvent, question: Question): VaultBefore {
  const { recipientAddress, policyVersion, asked } = question
  switch (event.name) {
    case 'RecipientsChanged': {
      const { added, removed, allowedFromSeconds } = event
      if (added.includes(recipientAddress)) return { ...state, allowedFromSeconds }
      return removed.includes(recipientAddress) ? { ...state, allowedFromSeconds: 0 } : state
    }
    case 'RecipientBlocked':
    case 'RecipientUnblocked': {
      const isBlocked = event.name === 'RecipientBlocked'
      return event.recipientAddress === recipientAddress ? { ...state, isBlocked } : state
    }
    case 'PolicyConfigured': {
      if (event.version !== policyVersion) return state
      const { approverAddresses } = event.policy
      return { ...state, approverAddresses: asked.filter((one) => approverAddresses.includes(one)) }
    }
    case 'ApproverRevoked': {
      if (event.version !== policyVersion) return state
      const left = state.approverAddresses.filter((one) => one !== event.approverAddress)
      return { ...state, approverAddresses: left }
    }
    default:
      return state
  }
}

/** What waits in the vault at the end of a block. Null if nothing does. */
export async function readWaiting(
  client: PublicClient,
  { address, blockNumber }: { address: string; blockNumber: number },
): Promise<{ proposalId: string; activatesAtSeconds: number } | null> {
  const { id, activatesAt } = await client.readContract({
    address: address as Address,
    abi: vaultAbi,
    blockNumber: BigInt(blockNumber),
    functionName: 'proposal',
  })
  if (BigInt(id) === 0n) return null
  return { proposalId: id.toLowerCase(), activatesAtSeconds: Number(activatesAt) }
}
