/** Vaults on a real chain with policies, recipients and proposals, for evidence about them. */
import { randomBytes } from 'node:crypto'
import type { ChainPolicy } from '@countersign/proof/execution.ts'
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import { type Address, encodeFunctionData, type Hex, type Log } from 'viem'
import {
  encodeActivation,
  encodeDeployment,
  encodePolicy,
  encodeRecipients,
} from '#adapters/chain/vault-codec.ts'
import { decodeVaultEvent } from '#adapters/chain/vault-events.ts'
import type { RecipientsChange, VaultEvent } from '#ports/chain.ts'
import { startTestChain, type TestChain, type TestWallet, tokenAbi } from './chain.ts'
import { withoutPeriod } from './policy-terms.ts'

export const CHAIN_ID = 31_337
const GAS = '0x7a1200'

export type Payer = {
  chain: TestChain
  owner: TestWallet
  /** The first of them. */
  approver: TestWallet
  /** Three, ascending by address. */
  approvers: TestWallet[]
  executor: TestWallet
  recipient: Address
}

/** A vault, genuine or not, as far as its logs go. */
export type PayingVault = {
  address: Address
  organizationHash: Hex
  policy: ChainPolicy
  policyVersion: number
  policyTransactionHash: Hex
  /** The policy's proposal. Null if it did not wait. */
  proposal: WaitingPolicy | null
  recipientsVersion: number
  /** The log that allowed the payer's recipient. */
  listing: { version: number; allowedFromSeconds: number; transactionHash: Hex }
}

export type WaitingPolicy = { id: string; activatesAtSeconds: number; transactionHash: Hex }

export const randomHash = (): Hex => `0x${randomBytes(32).toString('hex')}`

export async function openPayer(mining?: { mineAfterMs: number }): Promise<Payer> {
  const chain = await startTestChain(mining)
  const [owner, executor] = [await chain.wallet({ baseUnits: 10n ** 12n }), await chain.wallet()]
  const { address: recipient } = await chain.wallet({ wei: 0n })
  const made = [await chain.wallet(), await chain.wallet(), await chain.wallet()]
  const approvers = made.sort((a, b) => (lower(a.address) < lower(b.address) ? -1 : 1))
  const [approver] = approvers
  if (!approver) throw new Error('There is no approver')
  return { chain, owner, approver, approvers, executor, recipient }
}

const lower = (address: string): string => address.toLowerCase()

export const policyOf = (payer: Payer, more: Partial<ChainPolicy> = {}): ChainPolicy => ({
  executorAddress: lower(payer.executor.address),
  expiresAtSeconds: 4_000_000_000,
  automaticEnabled: true,
  paused: false,
  approvedCap: 1_000n,
  automaticCap: 500n,
  lifetimeCap: 1_000_000n,
  reserveFloor: 0n,
  ...withoutPeriod,
  approverAddresses: [lower(payer.approver.address)],
  ...more,
})

/** Two approvers above 600, three above 900; all of them listed. */
export const tieredBy = ({ approvers }: Payer): Partial<ChainPolicy> => ({
  approverAddresses: approvers.map(({ address }) => lower(address)),
  tiers: [
    { above: 600n, approvals: 2 },
    { above: 900n, approvals: 3 },
  ],
})

export async function sent(
  { chain }: Payer,
  wallet: TestWallet,
  call: { to: Address | null; data: Hex },
) {
  const hash = await wallet.send({ ...call, gas: GAS })
  return chain.client.waitForTransactionReceipt({ hash })
}

/** Calls a vault and requires success; resolves with the receipt. */
export async function called(
  payer: Payer,
  { address }: { address: Address },
  functionName: string,
  args: readonly unknown[],
  wallet = payer.owner,
) {
  const data = encodeFunctionData({ abi: vaultAbi, functionName, args } as never)
  const receipt = await sent(payer, wallet, { to: address, data })
  if (receipt.status !== 'success') throw new Error(`The vault refused ${functionName}`)
  return receipt
}

export type Deployed = { address: Address; organizationHash: Hex }

export async function deploy(
  payer: Payer,
  {
    owner = payer.owner,
    token = payer.chain.tokenAddress,
    organizationHash = randomHash(),
    changeDelaySeconds = 0,
  } = {},
): Promise<Deployed> {
  const { transaction } = encodeDeployment({
    chainId: CHAIN_ID,
    ownerAddress: owner.address,
    tokenAddress: token,
    organizationHash,
    changeDelaySeconds,
  })
  const { contractAddress } = await sent(payer, owner, { to: null, data: transaction.data as Hex })
  return { address: contractAddress as Address, organizationHash }
}

type EventOf<Name> = Extract<VaultEvent, { name: Name }>

/** The vault's one log of that name, or an error. */
export function eventIn<Name extends VaultEvent['name']>(
  logs: readonly Log[],
  name: Name,
): EventOf<Name> {
  const isMeant = (event: VaultEvent | undefined): event is EventOf<Name> => event?.name === name
  const found = logs.map((log) => decodeVaultEvent(log)).find(isMeant)
  if (!found) throw new Error(`The vault did not log ${name}`)
  return found
}

/** A first policy also lists the payer's recipient; a later one must count at once. */
export async function configure(
  payer: Payer,
  vault: Deployed | PayingVault,
  { owner = payer.owner, policy = policyOf(payer) } = {},
): Promise<PayingVault> {
  const before = 'policyVersion' in vault ? vault : null
  const expectedVersion = before?.policyVersion ?? 0
  const receipt = await sentPolicy(payer, vault, {
    owner,
    policy,
    expectedVersion,
    recipients: before
      ? null
      : { expectedRecipientsVersion: 0, add: [payer.recipient], remove: [] },
  })
  eventIn(receipt.logs, 'PolicyConfigured')
  return {
    ...vault,
    policy,
    policyVersion: expectedVersion + 1,
    policyTransactionHash: receipt.transactionHash,
    proposal: null,
    recipientsVersion: before?.recipientsVersion ?? 1,
    listing: before?.listing ?? listingIn(receipt),
  }
}

async function sentPolicy(
  payer: Payer,
  { address }: Deployed,
  {
    owner,
    ...change
  }: {
    owner: TestWallet
    policy: ChainPolicy
    expectedVersion: number
    recipients: RecipientsChange | null
  },
) {
  const place = { chainId: CHAIN_ID, vaultAddress: address, ownerAddress: owner.address }
  const { data } = encodePolicy({ ...place, ...change })
  const receipt = await sent(payer, owner, { to: address, data: data as Hex })
  if (receipt.status !== 'success') throw new Error('The policy was refused')
  return receipt
}

function listingIn({ logs, transactionHash }: { logs: readonly Log[]; transactionHash: Hex }) {
  const { recipientsVersion, allowedFromSeconds } = eventIn(logs, 'RecipientsChanged')
  return { version: recipientsVersion, allowedFromSeconds, transactionHash }
}

/** Of a vault with a delay: the policy waits, the one in force stays. */
export async function propose(
  payer: Payer,
  vault: PayingVault,
  policy: ChainPolicy,
): Promise<WaitingPolicy> {
  const receipt = await sentPolicy(payer, vault, {
    owner: payer.owner,
    policy,
    expectedVersion: vault.policyVersion,
    recipients: null,
  })
  const { proposalId: id, activatesAtSeconds } = eventIn(receipt.logs, 'PolicyProposed')
  return { id, activatesAtSeconds, transactionHash: receipt.transactionHash }
}

/** By the executor; anybody could. */
export async function activate(
  payer: Payer,
  vault: PayingVault,
  { policy, proposal }: { policy: ChainPolicy; proposal: WaitingPolicy },
): Promise<PayingVault> {
  const { policyVersion: expectedVersion, address } = vault
  const { data } = encodeActivation({ vaultAddress: address, expectedVersion, policy })
  const receipt = await sent(payer, payer.executor, { to: address, data: data as Hex })
  eventIn(receipt.logs, 'PolicyConfigured')
  const policyTransactionHash = receipt.transactionHash
  return { ...vault, policy, policyVersion: expectedVersion + 1, policyTransactionHash, proposal }
}

/** The listing is that of this change if it adds the payer's recipient. */
export async function changeRecipients(
  payer: Payer,
  vault: PayingVault,
  { add = [], remove = [] }: { add?: Address[]; remove?: Address[] },
): Promise<PayingVault> {
  const { address, recipientsVersion: expectedRecipientsVersion } = vault
  const place = { chainId: CHAIN_ID, vaultAddress: address, ownerAddress: payer.owner.address }
  const { data } = encodeRecipients({ ...place, expectedRecipientsVersion, add, remove })
  const receipt = await sent(payer, payer.owner, { to: address, data: data as Hex })
  const listing = listingIn(receipt)
  const isOurs = add.includes(payer.recipient)
  return {
    ...vault,
    recipientsVersion: listing.version,
    ...(isOurs && { listing }),
  }
}

export async function fund({ chain, owner }: Payer, to: Address, amount = 100_000n): Promise<void> {
  const transfer = { address: chain.tokenAddress, abi: tokenAbi, functionName: 'transfer' }
  await chain.mined(await owner.call({ ...transfer, args: [to, amount] }))
}

/** Deployed, configured and funded. */
export async function openVault(
  payer: Payer,
  { policy = {}, ...made }: Parameters<typeof deploy>[1] & { policy?: Partial<ChainPolicy> } = {},
): Promise<PayingVault> {
  const deployed = await deploy(payer, made)
  const terms = { policy: policyOf(payer, policy), ...(made.owner && { owner: made.owner }) }
  const vault = await configure(payer, deployed, terms)
  await fund(payer, vault.address)
  return vault
}

/** Unix seconds of the newest block. */
export async function timeOf({ chain }: Payer): Promise<number> {
  return Number((await chain.client.getBlock({ blockTag: 'latest' })).timestamp)
}

/** Mines a block at that second; ahead of the clock, the blocks after it keep its time. */
export async function waitUntil({ chain }: Payer, seconds: number): Promise<void> {
  await chain.request('evm_mine', seconds)
}
