/**
 * Checks a payment's evidence against what a node says: the vault's code, the payment's own log,
 * the token's transfer, finality, the signatures, and what the vault's policy, recipients and sums
 * were at the time (`verify-vault-facts.ts`). Pure.
 */
import type { Evidence } from './evidence.ts'
import { toStoredExecution } from './execution.ts'
import type { PaymentFacts, TransactionFacts } from './payment-facts.ts'
import { checksummed, secondsToTimestamp, timestampToSeconds } from './values.ts'
import { equal, type Finding, says } from './verify-evidence.ts'
import {
  approverFindings,
  periodFindings,
  policyFindings,
  proposalFindings,
  recipientFindings,
} from './verify-vault-facts.ts'

export type PaidEvidence = Evidence & { event: NonNullable<Evidence['event']> }

const lower = (value: string): string => value.toLowerCase()

/** `confirmations`: how deep the payment's block must be; null leaves it to the node's finality. */
export function verifyPaymentFacts(
  evidence: PaidEvidence,
  facts: PaymentFacts,
  { confirmations }: { confirmations: number | null },
): Finding[] {
  const chain = equal('chain: the node serves the chain', evidence.revision.chainId, facts.chainId)
  if (!chain.holds) return [chain]
  const { transaction } = facts
  if (!transaction) {
    return [chain, says('chain: transaction', false, 'the node does not have it')]
  }
  return [
    chain,
    ...transactionFindings(evidence, transaction),
    finalityFinding(transaction, confirmations),
    ...vaultFindings(evidence, transaction),
    ...policyFindings(evidence, transaction),
    ...proposalFindings(evidence, transaction),
    ...recipientFindings(evidence, transaction),
    ...approverFindings(evidence, transaction),
    ...limitFindings(evidence, transaction),
    ...periodFindings(evidence, transaction),
    ...signatureFindings(transaction),
  ]
}

function transactionFindings({ event, asked }: PaidEvidence, facts: TransactionFacts): Finding[] {
  const { execution, transfer } = facts
  const logged = execution && toStoredExecution(execution)
  const differing = Object.entries(logged ?? {})
    .filter(([key, value]) => lower(String(value)) !== lower(String(event[key])))
    .map(([key]) => key)
  const isPaid = transfer?.to === lower(String(asked.recipientAddress))
  const isExact = transfer?.amount === BigInt(String(asked.amountBaseUnits ?? '0'))
  return [
    says('chain: transaction succeeded', facts.status === 'success', facts.status),
    equal('chain: block number', event.blockNumber, facts.blockNumber),
    equal('chain: block hash', event.blockHash, facts.blockHash),
    says(
      "chain: the vault's log of this payment",
      logged !== null && differing.length === 0,
      logged === null
        ? 'this transaction has no such log'
        : differing.length === 0
          ? 'every field as in the bundle'
          : `differs in ${differing.join(', ')}`,
    ),
    says(
      "chain: the token's transfer from vault to recipient",
      isPaid && isExact,
      transfer ? `${transfer.amount} to ${checksummed(transfer.to)}` : 'there is none',
    ),
  ]
}

function finalityFinding(facts: TransactionFacts, confirmations: number | null): Finding {
  const link = 'chain: final block'
  const { blockNumber, blockHash, canonicalHash, headNumber, finalizedNumber } = facts
  if (blockHash !== canonicalHash) {
    return says(link, false, `block ${blockNumber} was replaced by ${canonicalHash}`)
  }
  const depth = headNumber - blockNumber + 1
  if (confirmations !== null) {
    return says(link, depth >= confirmations, `${depth} of ${confirmations} confirmations`)
  }
  if (finalizedNumber === null) {
    return says(link, false, 'the node does not say what is final: give --confirmations')
  }
  const detail = `block ${blockNumber}, finalized up to ${finalizedNumber}`
  return says(link, finalizedNumber >= blockNumber, detail)
}

function vaultFindings(
  { revision, payment }: PaidEvidence,
  { vault }: TransactionFacts,
): Finding[] {
  const link = "chain: the vault's code is the artifact"
  if (!vault) return [says(link, false, 'not before its policy and recipients were logged')]
  const owner = checksummed(vault.ownerAddress)
  return [
    says(
      link,
      true,
      `byte for byte; owner ${owner}, changes wait ${vault.changeDelaySeconds} seconds`,
    ),
    equal("chain: the vault's token", revision.tokenAddress, checksummed(vault.tokenAddress)),
    equal("chain: the vault's organization", payment.organizationHash, vault.organizationHash),
  ]
}

/** Uses caps and expiry from the chain; the bundle's were compared with them. */
function limitFindings({ payment, revision }: PaidEvidence, facts: TransactionFacts): Finding[] {
  const deadline = timestampToSeconds(payment.deadline)
  const { timeSeconds, directCall, spentTotal } = facts
  const policy = facts.policy?.policy
  const cap = payment.mode === 'automatic' ? policy?.automaticCap : policy?.approvedCap
  const time = secondsToTimestamp(timeSeconds)
  return [
    says('chain: paid by the deadline', timeSeconds <= deadline, `${time} of ${payment.deadline}`),
    ...(directCall
      ? [equal('chain: the deadline that was sent', deadline, directCall.deadlineSeconds)]
      : []),
    ...(policy
      ? [
          says(
            'chain: paid before the policy ended',
            timeSeconds < policy.expiresAtSeconds,
            `${time}, ends at unix time ${policy.expiresAtSeconds}`,
          ),
          says(
            'chain: amount within the policy',
            cap !== undefined && BigInt(revision.amountBaseUnits) <= cap,
            `${revision.amountBaseUnits} of at most ${cap} (${payment.mode})`,
          ),
          says(
            'chain: within the lifetime cap',
            spentTotal !== null && spentTotal <= policy.lifetimeCap,
            `${spentTotal ?? 'an unknown sum'} of at most ${policy.lifetimeCap}`,
          ),
        ]
      : []),
    ...(policy && payment.mode === 'automatic'
      ? [says('chain: automatic payments allowed', policy.automaticEnabled, 'by the policy')]
      : []),
  ]
}

/** Signatures that are not of the approver's own key; the others were checked offline. */
const signatureFindings = ({ contractAnswers }: TransactionFacts): Finding[] =>
  contractAnswers.map(({ address, accepts }) => {
    const detail = accepts
      ? `accepted by the contract ${checksummed(address)} (ERC-1271)`
      : `neither by the key of ${checksummed(address)} nor accepted by a contract there`
    return says("chain: the approver's signature", accepts, detail)
  })

/** Equal for nodes that agree about a payment, whatever their head block. */
export function comparableFacts({ chainId, transaction }: PaymentFacts): string {
  const {
    headNumber: _head,
    finalizedNumber: _finalized,
    ...facts
  } = transaction ?? {
    headNumber: 0,
    finalizedNumber: null,
  }
  return JSON.stringify({ chainId, facts }, (_key, value) =>
    typeof value === 'bigint' ? value.toString() : value,
  )
}
