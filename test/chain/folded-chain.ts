/** What the blocks of a chain add up to, and which events may come next. */
import type { VaultEvent } from '#ports/chain.ts'
import {
  addressOf,
  blocked,
  configured,
  created,
  type FakeChain,
  type Happening,
  listed,
  paid,
  paused,
  received,
  revoked,
  unblocked,
  unpaused,
  withdrawn,
} from './fake-chain.ts'

export type Folded = {
  balance: bigint
  spent: bigint
  version: number
  /** The policy in force. */
  paused: boolean
  pauseNumber: number
  recipientsVersion: number
  listed: Set<string>
  blocked: Set<string>
  /** By version. */
  approvers: string[][]
}

/** The reference: what the chain's blocks add up to. */
export function fold({ blocks }: FakeChain, address: string, upTo = blocks.length): Folded {
  const folded: Folded = {
    balance: 0n,
    spent: 0n,
    version: 0,
    paused: false,
    pauseNumber: 0,
    recipientsVersion: 0,
    listed: new Set(),
    blocked: new Set(),
    approvers: [],
  }
  for (const { logs } of blocks.slice(0, upTo + 1)) {
    for (const { vaultAddress, event } of logs) if (vaultAddress === address) add(folded, event)
  }
  return folded
}

function add(folded: Folded, event: VaultEvent): void {
  switch (event.name) {
    case 'TokenReceived':
      folded.balance += event.amount
      break
    case 'TokenSent':
      folded.balance -= event.amount
      break
    case 'PaymentExecuted':
      folded.spent += event.amount
      break
    case 'PolicyConfigured':
      folded.version = event.version
      folded.paused = event.policy.paused
      folded.approvers.push([...event.policy.approverAddresses])
      break
    case 'EmergencyPaused':
      folded.paused = true
      folded.pauseNumber = event.pauseNumber
      break
    case 'Unpaused':
      folded.paused = false
      break
    case 'RecipientsChanged':
      folded.recipientsVersion = event.recipientsVersion
      for (const one of event.removed) folded.listed.delete(one)
      for (const one of event.added) folded.listed.add(one)
      break
    case 'RecipientBlocked':
      folded.blocked.add(event.recipientAddress)
      break
    case 'RecipientUnblocked':
      folded.blocked.delete(event.recipientAddress)
      break
    case 'ApproverRevoked':
      folded.approvers[event.version - 1] = (folded.approvers[event.version - 1] ?? []).filter(
        (one) => one !== event.approverAddress,
      )
      break
  }
}

type Wanted = { name: string; address: string; amount: bigint }

let payments = 0

const isMade = (chain: FakeChain, address: string): boolean =>
  chain.blocks.some(({ logs }) =>
    logs.some((log) => log.vaultAddress === address && log.event.name === 'VaultCreated'),
  )

/** Only events that the contract would allow. */
export function happening(chain: FakeChain, { name, address, amount }: Wanted): Happening[] {
  const { balance, spent, version } = fold(chain, address)
  if (name === 'receive') return [received(address, amount)]
  if (!isMade(chain, address)) return [created(address)]
  if (name === 'configure') return [configured(address, version + 1)]
  if (name === 'list' || name === 'block') {
    return recipientHappening(chain, { name, address, amount })
  }
  if (version === 0 && name !== 'withdraw') return []
  if (name !== 'withdraw' && name !== 'pay') return narrowing(chain, { name, address })
  if (balance < amount) return []
  if (name === 'withdraw') return [withdrawn(address, amount)]
  payments += 1
  return paid(address, { id: payments, amount, version, spentTotal: spent + amount })
}

/** The amount chooses among a few recipients, so that they come and go. */
function recipientHappening(chain: FakeChain, { name, address, amount }: Wanted): Happening[] {
  const folded = fold(chain, address)
  const [one, other] = [addressOf(0x50 + Number(amount % 4n)), addressOf(0x50)]
  if (name === 'block') {
    return [folded.blocked.has(one) ? unblocked(address, one) : blocked(address, one)]
  }
  const changed = [...new Set([one, other])]
  const removed = changed.filter((each) => folded.listed.has(each))
  const added = changed.filter((each) => !folded.listed.has(each))
  return [listed(address, folded.recipientsVersion + 1, { added, removed })]
}

function narrowing(chain: FakeChain, { name, address }: Omit<Wanted, 'amount'>): Happening[] {
  const { version, pauseNumber, approvers, ...folded } = fold(chain, address)
  if (name === 'pause') return [paused(address, version, pauseNumber + 1)]
  if (name === 'unpause') return folded.paused ? [unpaused(address, version, pauseNumber)] : []
  const [approver] = approvers[version - 1] ?? []
  return approver === undefined ? [] : [revoked(address, version, approver)]
}
