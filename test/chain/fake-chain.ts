/** An in-memory chain with forks, whose reads can be interrupted. */
import { createHash } from 'node:crypto'
import type { ChainPolicy } from '@countersign/proof/execution.ts'
import type { Chain, ChainBlock, VaultEvent, VaultLog } from '#ports/chain.ts'
import { withoutPeriod } from '#test/support/policy-terms.ts'

export type Happening = { vaultAddress: string; event: VaultEvent }

type ForkBlock = ChainBlock & { logs: VaultLog[] }

export type Read = 'latestBlock' | 'findBlock' | 'listLogs' | 'tokenBalance'

export type FakeChain = Chain & {
  blocks: readonly ForkBlock[]
  head(): ChainBlock
  /** Mines one block with these events, each in a transaction of its own. */
  mine(happenings?: readonly Happening[]): ChainBlock
  mineEmpty(count: number): void
  /** Removes the newest blocks and returns their events. */
  cut(depth: number): Happening[][]
  /** The number of reads of each kind. */
  reads: Record<Read, number>
  /** Called before each read is answered: a reorganisation or failure may be injected. */
  before: (read: Read) => void | Promise<void>
  /** Called after the answer is computed and before it is returned. */
  after: (read: Read) => void | Promise<void>
  balanceOf(address: string, blockNumber?: number): bigint
}

const fakeToken = `0x${'70'.repeat(20)}`
export const addressOf = (digit: number): string => `0x${digit.toString(16).padStart(40, 'a')}`
const digest = (text: string): string => `0x${createHash('sha256').update(text).digest('hex')}`

/** The same content on the same parent is another block at another attempt. */
let tries = 0

export function createFakeChain({ genesisSeconds = 1_700_000_000 } = {}): FakeChain {
  const blocks: ForkBlock[] = []
  const append = (happenings: readonly Happening[]): ForkBlock => {
    tries += 1
    const number = blocks.length
    const hash = digest(`block ${tries}`)
    const logs = happenings.map(({ vaultAddress, event }, logIndex) => ({
      vaultAddress,
      blockNumber: number,
      blockHash: hash,
      logIndex,
      transactionHash: digest(`transaction ${hash} ${logIndex}`),
      event,
    }))
    const parentHash = blocks.at(-1)?.hash ?? digest('nothing')
    const block = { number, hash, parentHash, timeSeconds: genesisSeconds + number * 2, logs }
    blocks.push(block)
    return block
  }
  append([])
  const reads: FakeChain['reads'] = { latestBlock: 0, findBlock: 0, listLogs: 0, tokenBalance: 0 }
  const head = () => withoutLogs(blocks.at(-1) ?? append([]))
  const balanceOf: FakeChain['balanceOf'] = (address, blockNumber = blocks.length) =>
    sumOf(
      blocks.slice(0, blockNumber + 1).flatMap(({ logs }) => logs),
      address,
    )

  const chain: FakeChain = {
    ...notAsked,
    blocks,
    head,
    reads,
    balanceOf,
    before: calm,
    after: calm,
    mine: (happenings = []) => withoutLogs(append(happenings)),
    mineEmpty(count) {
      for (let index = 0; index < count; index += 1) append([])
    },
    cut: (depth) =>
      blocks
        .splice(Math.max(1, blocks.length - depth))
        .map(({ logs }) => logs.map(({ vaultAddress, event }) => ({ vaultAddress, event }))),
    latestBlock: () => answer('latestBlock', head),
    findBlock: (number) => answer('findBlock', () => blocks[number] && withoutLogs(blocks[number])),
    listLogs: ({ fromBlock, toBlock, vaultAddresses }) =>
      answer('listLogs', () =>
        blocks
          .slice(fromBlock, toBlock + 1)
          .flatMap(({ logs }) => logs)
          .filter(({ vaultAddress }) => vaultAddresses.includes(vaultAddress)),
      ),
    tokenBalance: ({ address, blockNumber }) =>
      answer('tokenBalance', () => balanceOf(address, blockNumber)),
  }
  const answer = async <T>(read: Read, make: () => T): Promise<T> => {
    reads[read] += 1
    await chain.before(read)
    const made = make()
    await chain.after(read)
    return made
  }
  return chain
}

const withoutLogs = ({ logs: _, ...block }: ForkBlock): ChainBlock => ({ ...block })

export const calm = (): void => {}

const refuse = () => {
  throw new Error('The follower does not ask this')
}

const notAsked = {
  chainId: 31_337,
  tokenAddress: fakeToken,
  confirmations: 1,
  artifactHash: digest('artifact'),
  inspectNodes: refuse,
  findTransaction: refuse,
  identifyVault: refuse,
  hasCode: refuse,
  nativeBalance: refuse,
  deployment: refuse,
  policyConfiguration: refuse,
  recipientsChange: refuse,
  policyActivation: refuse,
  deposit: refuse,
  withdrawalProbe: refuse,
  readApproval: refuse,
  tokenAllowance: refuse,
  paymentCall: refuse,
  isValidSignature: refuse,
  isWalletSignature: refuse,
  readSigned: refuse,
}

const sumOf = (logs: readonly VaultLog[], address: string): bigint =>
  logs.reduce((sum, { vaultAddress, event }) => {
    if (vaultAddress !== address) return sum
    if (event.name === 'TokenReceived') return sum + event.amount
    return event.name === 'TokenSent' ? sum - event.amount : sum
  }, 0n)

export const created = (vaultAddress: string): Happening => ({
  vaultAddress,
  event: {
    name: 'VaultCreated',
    ownerAddress: addressOf(1),
    tokenAddress: fakeToken,
    organizationHash: digest(vaultAddress),
    changeDelaySeconds: 0,
  },
})

export const received = (vaultAddress: string, amount: bigint): Happening => ({
  vaultAddress,
  event: { name: 'TokenReceived', from: addressOf(1), amount },
})

export const withdrawn = (vaultAddress: string, amount: bigint): Happening => ({
  vaultAddress,
  event: { name: 'TokenSent', to: addressOf(1), amount },
})

/** A payment emits two logs: the token's and the vault's. */
export const paid = (
  vaultAddress: string,
  { id, amount, version, spentTotal }: Payment,
): Happening[] => [
  { vaultAddress, event: { name: 'TokenSent', to: addressOf(2), amount } },
  {
    vaultAddress,
    event: {
      name: 'PaymentExecuted',
      chainPaymentId: digest(`payment ${id}`),
      recipientAddress: addressOf(2),
      mode: 'automatic',
      amount,
      policyVersion: version,
      reportHash: digest('report'),
      expenseVersionHash: digest('expense'),
      approvalDigests: [],
      approverAddresses: [],
      spentTotal,
    },
  },
]

export type Payment = { id: number; amount: bigint; version: number; spentTotal: bigint }

export const configured = (
  vaultAddress: string,
  version: number,
  terms: Partial<ChainPolicy> = {},
): Happening => ({
  vaultAddress,
  event: {
    name: 'PolicyConfigured',
    version,
    policy: {
      executorAddress: addressOf(3),
      expiresAtSeconds: 4_000_000_000,
      automaticEnabled: true,
      paused: false,
      approvedCap: 1_000n,
      automaticCap: 100n,
      lifetimeCap: 10_000n,
      reserveFloor: 0n,
      ...withoutPeriod,
      approverAddresses: [addressOf(4)],
      ...terms,
    },
  },
})

export const paused = (vaultAddress: string, version: number, pauseNumber = 1): Happening => ({
  vaultAddress,
  event: { name: 'EmergencyPaused', version, by: addressOf(1), pauseNumber },
})

export const unpaused = (vaultAddress: string, version: number, pauseNumber = 1): Happening => ({
  vaultAddress,
  event: { name: 'Unpaused', version, pauseNumber },
})

export const listed = (
  vaultAddress: string,
  recipientsVersion: number,
  { added = [], removed = [], allowedFromSeconds = 1_700_000_000 }: Partial<Listing> = {},
): Happening => ({
  vaultAddress,
  event: { name: 'RecipientsChanged', recipientsVersion, allowedFromSeconds, added, removed },
})

type Listing = { added: string[]; removed: string[]; allowedFromSeconds: number }

export const blocked = (vaultAddress: string, recipientAddress: string): Happening => ({
  vaultAddress,
  event: { name: 'RecipientBlocked', recipientAddress, by: addressOf(4) },
})

export const unblocked = (vaultAddress: string, recipientAddress: string): Happening => ({
  vaultAddress,
  event: { name: 'RecipientUnblocked', recipientAddress },
})

export const revoked = (
  vaultAddress: string,
  version: number,
  approverAddress: string,
): Happening => ({ vaultAddress, event: { name: 'ApproverRevoked', version, approverAddress } })
