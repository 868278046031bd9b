/** Decodes the vault's logs. Pure. */
import type { ChainPolicy } from '@countersign/proof/execution.ts'
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import { type AbiEvent, type Address, decodeEventLog, type Hex, toEventSelector } from 'viem'
import type { VaultEvent } from '#ports/chain.ts'

const lower = (hex: string): string => hex.toLowerCase()
const lowered = (addresses: readonly string[]): string[] => addresses.map(lower)

/** By their topic: viem hashes the signature of each event that it compares with a log. */
const eventsByTopic = new Map<Hex, AbiEvent>(
  vaultAbi.flatMap((item) => (item.type === 'event' ? [[toEventSelector(item), item]] : [])),
)

type EncodedLog = { topics: readonly Hex[]; data: Hex }

/** Undefined for a log of another contract and for events that the service ignores. */
export function decodeVaultEvent({ topics, data }: EncodedLog): VaultEvent | undefined {
  const [signature, ...rest] = topics
  const event = signature && eventsByTopic.get(signature)
  if (!event) return undefined
  try {
    const log = decodeEventLog({ abi: [event], topics: [signature, ...rest], data, strict: true })
    const known = log as unknown as DecodedLog
    return toPolicyEvent(known) ?? toRecipientEvent(known) ?? toOtherEvent(known)
  } catch {
    return undefined
  }
}

type DecodedLog = ReturnType<typeof decodeEventLog<typeof vaultAbi>>

/** Logs that change the policy, or what it allows now. */
function toPolicyEvent({ eventName: name, args }: DecodedLog): VaultEvent | undefined {
  switch (name) {
    case 'PolicyConfigured':
      return { name, version: Number(args.version), policy: toPolicy(args.config) }
    case 'PolicyProposed':
      return {
        name,
        proposalId: args.proposal,
        expectedVersion: Number(args.expectedVersion),
        activatesAtSeconds: Number(args.activatesAt),
        policy: toPolicy(args.config),
      }
    case 'PolicyVetoed':
      return { name, proposalId: args.proposal, by: lower(args.by) }
    case 'ApproverRevoked':
      return { name, version: Number(args.version), approverAddress: lower(args.approver) }
    case 'EmergencyPaused':
      return {
        name,
        version: Number(args.version),
        by: lower(args.by),
        pauseNumber: Number(args.pauseNumber),
      }
    case 'Unpaused':
      return { name, version: Number(args.version), pauseNumber: Number(args.pauseNumber) }
    default:
      return undefined
  }
}

function toRecipientEvent({ eventName: name, args }: DecodedLog): VaultEvent | undefined {
  switch (name) {
    case 'RecipientsChanged':
      return {
        name,
        recipientsVersion: Number(args.version),
        allowedFromSeconds: Number(args.allowedFrom),
        added: lowered(args.added),
        removed: lowered(args.removed),
      }
    case 'RecipientBlocked':
      return { name, recipientAddress: lower(args.recipient), by: lower(args.by) }
    case 'RecipientUnblocked':
      return { name, recipientAddress: lower(args.recipient) }
    default:
      return undefined
  }
}

function toOtherEvent({ eventName: name, args }: DecodedLog): VaultEvent | undefined {
  switch (name) {
    case 'VaultCreated':
      return {
        name,
        ownerAddress: lower(args.owner),
        tokenAddress: lower(args.token),
        organizationHash: args.organizationHash,
        changeDelaySeconds: args.changeDelaySeconds,
      }
    case 'ApprovalInvalidated':
      return { name, digest: args.digest, invalidator: lower(args.invalidator) }
    case 'PaymentExecuted':
      return {
        name,
        chainPaymentId: args.paymentId,
        recipientAddress: lower(args.recipient),
        mode: args.mode === 0 ? 'approved' : 'automatic',
        amount: args.amount,
        policyVersion: Number(args.policyVersion),
        reportHash: args.reportHash,
        expenseVersionHash: args.expenseVersionHash,
        approvalDigests: [...args.approvalDigests],
        approverAddresses: lowered(args.approvers),
        spentTotal: args.spentTotal,
      }
    default:
      return undefined
  }
}

/** A policy as the ABI has it. */
type ConfigArgs = {
  executor: Address
  expiresAt: bigint
  automaticEnabled: boolean
  paused: boolean
  approvedCap: bigint
  automaticCap: bigint
  lifetimeCap: bigint
  reserveFloor: bigint
  periodSeconds: number
  periodCap: bigint
  automaticPeriodCap: bigint
  tiers: readonly { above: bigint; approvals: number }[]
  approvers: readonly Address[]
}

const toPolicy = (config: ConfigArgs): ChainPolicy => ({
  executorAddress: lower(config.executor),
  expiresAtSeconds: Number(config.expiresAt),
  automaticEnabled: config.automaticEnabled,
  paused: config.paused,
  approvedCap: config.approvedCap,
  automaticCap: config.automaticCap,
  lifetimeCap: config.lifetimeCap,
  reserveFloor: config.reserveFloor,
  periodSeconds: config.periodSeconds,
  periodCap: config.periodCap,
  automaticPeriodCap: config.automaticPeriodCap,
  tiers: config.tiers.map(({ above, approvals }) => ({ above, approvals })),
  approverAddresses: lowered(config.approvers),
})
