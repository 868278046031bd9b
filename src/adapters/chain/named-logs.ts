/**
 * Reads from one node the vault's logs that evidence names by their transaction: the policy, its
 * proposal, and the change that allowed the recipient.
 */
import type {
  BlockFacts,
  PaymentQuestion,
  PolicyFacts,
  ProposalFacts,
  RecipientFacts,
} from '@countersign/proof/payment-facts.ts'
import { proposalIdOf } from '@countersign/proof/proposal-id.ts'
import type { Log, PublicClient } from 'viem'
import type { VaultEvent } from '#ports/chain.ts'
import { blockFacts, comesBefore, findReceipt } from './receipts.ts'
import { decodeVaultEvent } from './vault-events.ts'

type EventName = VaultEvent['name']
type EventOf<Name extends EventName> = Extract<VaultEvent, { name: Name }>

type NamedLog<Name extends EventName> = { log: Log; event: EventOf<Name>; place: BlockFacts }

type Naming<Name extends EventName> = {
  vaultAddress: string
  transactionHash: string | null
  name: Name
  isMeant(event: EventOf<Name>): boolean
}

/** Null if the transaction is unknown, has failed, or has no such log of this vault. */
async function findLog<Name extends EventName>(
  client: PublicClient,
  { vaultAddress, transactionHash, name, isMeant }: Naming<Name>,
): Promise<NamedLog<Name> | null> {
  if (transactionHash === null) return null
  const receipt = await findReceipt(client, transactionHash)
  if (receipt?.status !== 'success') return null
  for (const log of receipt.logs) {
    const event = log.address.toLowerCase() === vaultAddress ? decodeVaultEvent(log) : undefined
    if (!isNamed(event, name) || !isMeant(event)) continue
    return { log, event, place: await blockFacts(client, receipt) }
  }
  return null
}

const isNamed = <Name extends EventName>(
  event: VaultEvent | undefined,
  name: Name,
): event is EventOf<Name> => event?.name === name

/** The facts, and the log's own place for comparing others with it. */
export async function findPolicy(
  client: PublicClient,
  { vaultAddress, policyTransactionHash, policyVersion }: PaymentQuestion,
  execution: Log | undefined,
): Promise<{ log: Log; facts: PolicyFacts } | null> {
  const found = await findLog(client, {
    vaultAddress,
    transactionHash: policyTransactionHash,
    name: 'PolicyConfigured',
    isMeant: ({ version }) => version === policyVersion,
  })
  if (!found) return null
  const { log, place } = found
  const { version, policy } = found.event
  const isEarlier = execution !== undefined && comesBefore(log, execution)
  const proposalId = proposalIdOf(version - 1, policy)
  return { log, facts: { ...place, isEarlier, version, policy, proposalId } }
}

export type NamedProposal = Omit<ProposalFacts, 'waiting'>

export async function findProposal(
  client: PublicClient,
  { vaultAddress, proposal }: PaymentQuestion,
  policyLog: Log | undefined,
): Promise<NamedProposal | null> {
  const found = await findLog(client, {
    vaultAddress,
    transactionHash: proposal?.transactionHash ?? null,
    name: 'PolicyProposed',
    isMeant: ({ proposalId }) => proposalId === proposal?.id,
  })
  if (!found) return null
  const { proposalId, expectedVersion, activatesAtSeconds } = found.event
  const isEarlier = policyLog !== undefined && comesBefore(found.log, policyLog)
  return { ...found.place, isEarlier, proposalId, expectedVersion, activatesAtSeconds }
}

export async function findRecipient(
  client: PublicClient,
  question: PaymentQuestion,
  execution: Log | undefined,
): Promise<RecipientFacts | null> {
  const { vaultAddress, recipientAddress, recipientTransactionHash } = question
  const found = await findLog(client, {
    vaultAddress,
    transactionHash: recipientTransactionHash,
    name: 'RecipientsChanged',
    isMeant: ({ recipientsVersion }) => recipientsVersion === question.recipientsVersion,
  })
  if (!found) return null
  const { recipientsVersion, allowedFromSeconds, added } = found.event
  return {
    ...found.place,
    isEarlier: execution !== undefined && comesBefore(found.log, execution),
    recipientsVersion,
    allowedFromSeconds,
    isAdded: added.includes(recipientAddress),
  }
}
