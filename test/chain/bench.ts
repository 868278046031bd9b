/** A vault on a real chain, driven by the test's own wallets: each call is one block. */
import { randomBytes } from 'node:crypto'
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import { type Address, encodeFunctionData, type Hex, parseAbi, parseGwei } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { createViemChain } from '#adapters/chain/viem-chain.ts'
import type { Chain, RecipientsChange } from '#ports/chain.ts'
import { type TestChain, type TestWallet, tokenAbi } from '#test/support/chain.ts'
import { withoutPeriod } from '#test/support/policy-terms.ts'
import type { WatchedVault } from './ledger.ts'

const transferFromAbi = parseAbi([
  'function transferFrom(address from, address to, uint256 amount)',
])

export type Signer = { account: PrivateKeyAccount; address: Address }

/** A mined transaction; its signed bytes can be sent again on another fork. */
export type Sent = {
  raw: Hex
  status: 'success' | 'reverted'
  blockNumber: number
  transactionHash: Hex
  contractAddress: Address | null | undefined
}

export type Bench = {
  chain: Chain
  owner: TestWallet
  executor: Signer
  approver: TestWallet
  recipient: Address
  vaults: WatchedVault[]
  /** Signs with the next nonce; resolves when it is in a block of its own. */
  send(signer: Signer, call: { to: Address | null; data: Hex }): Promise<Sent>
  resend(raw: Hex): Promise<Omit<Sent, 'raw'>>
  /** Mines empty blocks. */
  mine(blocks?: number): Promise<void>
  addVault(): Promise<WatchedVault>
  deposit(vault: WatchedVault, amount: bigint): Promise<Sent>
  give(vault: WatchedVault, amount: bigint): Promise<Sent>
  withdraw(vault: WatchedVault, amount: bigint): Promise<Sent>
  /** A policy that pays automatically; lists the recipient with it unless it is listed. */
  configure(vault: WatchedVault, expectedVersion: number, lifetimeCap?: bigint): Promise<Sent>
  changeRecipients(vault: WatchedVault, change: Partial<Listing>): Promise<Sent>
  pause(vault: WatchedVault): Promise<Sent>
  /** Any other call of the owner. */
  callVault(vault: WatchedVault, functionName: OwnerCall, args: readonly unknown[]): Promise<Sent>
  pay(vault: WatchedVault, amount: bigint, version: number): Promise<Sent>
  /** Makes the token emit this transfer, which anybody could. */
  sendNothing(from: Address, to: Address): Promise<Sent>
  versionOf(vault: WatchedVault): Promise<number>
  isPaused(vault: WatchedVault): Promise<boolean>
}

type OwnerCall = 'unpause' | 'blockRecipient' | 'unblockRecipient' | 'revokeApprover'
type Listing = Pick<RecipientsChange, 'add' | 'remove'>

const FAR = 4_000_000_000

export async function openBench(test: TestChain): Promise<Bench> {
  const chain = createViemChain({
    chainId: 31_337,
    rpcUrls: [test.rpcUrl],
    tokenAddress: test.tokenAddress,
    confirmations: 1,
  })
  const owner = await test.wallet({ wei: 10n ** 20n, baseUnits: 10n ** 15n })
  const executor = await test.wallet({ wei: 10n ** 20n })
  const approver = await test.wallet({ wei: 10n ** 20n })
  const { address: recipient } = await test.wallet({ wei: 0n })
  const sending = sendingOn(test)
  const parts = { test, chain, owner, executor, approver, recipient, send: sending.send }
  const acts = { ...ownerActs(parts), ...policyActs(parts), ...payments(parts) }
  return { chain, owner, executor, approver, recipient, ...sending, ...acts }
}

function sendingOn(test: TestChain): Pick<Bench, 'send' | 'resend' | 'mine'> {
  const { client } = test
  const resend: Bench['resend'] = async (raw) => {
    const hash = (await test.request('eth_sendRawTransaction', raw)) as Hex
    const receipt = await client.waitForTransactionReceipt({ hash })
    return { ...receipt, blockNumber: Number(receipt.blockNumber) }
  }
  return {
    resend,
    async send({ account, address }, { to, data }) {
      const raw = await account.signTransaction({
        chainId: 31_337,
        type: 'eip1559',
        nonce: await client.getTransactionCount({ address, blockTag: 'pending' }),
        gas: 8_000_000n,
        maxFeePerGas: parseGwei('20'),
        maxPriorityFeePerGas: parseGwei('1'),
        data,
        ...(to && { to }),
      })
      const { status, blockNumber, contractAddress, transactionHash } = await resend(raw)
      return { raw, status, blockNumber, contractAddress, transactionHash }
    },
    async mine(blocks = 1) {
      for (let index = 0; index < blocks; index += 1) await test.request('evm_mine')
    },
  }
}

type Parts = Pick<Bench, 'chain' | 'owner' | 'executor' | 'approver' | 'recipient' | 'send'> & {
  test: TestChain
}
type OwnerActs = Pick<
  Bench,
  'vaults' | 'addVault' | 'deposit' | 'give' | 'withdraw' | 'sendNothing'
>

function ownerActs({ test, chain, owner, send }: Parts): OwnerActs {
  const vaults: WatchedVault[] = []
  const callToken = (functionName: 'approve' | 'transfer', args: readonly [Address, bigint]) =>
    send(owner, {
      to: test.tokenAddress,
      data: encodeFunctionData({ abi: tokenAbi, functionName, args }),
    })
  const callVault = (vault: WatchedVault, functionName: 'deposit' | 'withdraw', amount: bigint) =>
    send(owner, {
      to: vault.address as Address,
      data: encodeFunctionData({ abi: vaultAbi, functionName, args: [amount] }),
    })
  return {
    vaults,
    async addVault() {
      const { transaction } = chain.deployment({
        ownerAddress: owner.address,
        organizationHash: `0x${randomBytes(32).toString('hex')}`,
        changeDelaySeconds: 0,
      })
      const deployed = await send(owner, { to: null, data: transaction.data as Hex })
      const address = deployed.contractAddress?.toLowerCase() ?? ''
      const vault = { address, fromBlock: deployed.blockNumber }
      await callToken('approve', [vault.address as Address, 2n ** 200n])
      vaults.push(vault)
      return vault
    },
    deposit: (vault, amount) => callVault(vault, 'deposit', amount),
    withdraw: (vault, amount) => callVault(vault, 'withdraw', amount),
    give: (vault, amount) => callToken('transfer', [vault.address as Address, amount]),
    sendNothing: (from, to) => {
      const args = [from, to, 0n] as const
      const call = { abi: transferFromAbi, functionName: 'transferFrom', args } as const
      return send(owner, { to: test.tokenAddress, data: encodeFunctionData(call) })
    },
  }
}

function policyActs(parts: Parts): Pick<Bench, 'configure' | 'changeRecipients'> {
  const { test, chain, owner, executor, approver, recipient, send } = parts
  const callAt = ({ address }: WatchedVault) => ({
    vaultAddress: address,
    ownerAddress: owner.address,
  })
  const versionAt = async ({ address }: WatchedVault) =>
    Number(await test.client.readContract({ ...at(address), functionName: 'recipientsVersion' }))
  const firstListing = async (vault: WatchedVault): Promise<RecipientsChange | null> => {
    const listed = await test.client.readContract({
      ...at(vault.address),
      functionName: 'recipientOf',
      args: [recipient],
    })
    if (listed.allowedFrom > 0n) return null
    return { expectedRecipientsVersion: await versionAt(vault), add: [recipient], remove: [] }
  }
  return {
    async configure(vault, expectedVersion, lifetimeCap = 1_000_000n) {
      const { data } = chain.policyConfiguration({
        ...callAt(vault),
        expectedVersion,
        policy: {
          executorAddress: executor.address,
          expiresAtSeconds: FAR,
          automaticEnabled: true,
          paused: false,
          approvedCap: 1_000n,
          automaticCap: 1_000n,
          lifetimeCap,
          reserveFloor: 0n,
          ...withoutPeriod,
          approverAddresses: [approver.address],
        },
        recipients: await firstListing(vault),
      })
      return send(owner, { to: vault.address as Address, data: data as Hex })
    },
    async changeRecipients(vault, { add = [], remove = [] }) {
      const expectedRecipientsVersion = await versionAt(vault)
      const change = { expectedRecipientsVersion, add, remove }
      const { data } = chain.recipientsChange({ ...callAt(vault), ...change })
      return send(owner, { to: vault.address as Address, data: data as Hex })
    },
  }
}

function payments({
  test: { client },
  owner,
  executor,
  recipient,
  send,
}: Parts): Pick<Bench, 'pause' | 'callVault' | 'pay' | 'versionOf' | 'isPaused'> {
  const id = (): Hex => `0x${randomBytes(32).toString('hex')}`
  return {
    pause: ({ address }) =>
      send(owner, {
        to: address as Address,
        data: encodeFunctionData({ abi: vaultAbi, functionName: 'emergencyPause' }),
      }),
    callVault: ({ address }, functionName, args) =>
      send(owner, {
        to: address as Address,
        data: encodeFunctionData({ abi: vaultAbi, functionName, args } as never),
      }),
    pay: ({ address }, amount, version) =>
      send(executor, {
        to: address as Address,
        data: encodeFunctionData({
          abi: vaultAbi,
          functionName: 'executeAutomatic',
          args: [id(), recipient, amount, BigInt(version), id(), id(), BigInt(FAR)],
        }),
      }),
    versionOf: async ({ address }) =>
      Number(await client.readContract({ ...at(address), functionName: 'policyVersion' })),
    isPaused: async ({ address }) =>
      (await client.readContract({ ...at(address), functionName: 'policy' })).paused,
  }
}

const at = (address: string) => ({ address: address as Address, abi: vaultAbi })
