/**
 * How the Circle emulator pays: from its own key (EOA), or through a contract account, sent by a
 * bundler whose outer transaction succeeds although the inner call reverted.
 */
import { type Address, concatHex, type Hex, keccak256, padHex, type TransactionReceipt } from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import type { TestChain } from '#test/support/chain.ts'

export type CircleChain = Pick<TestChain, 'client' | 'request'>
export type AccountType = 'EOA' | 'SCA'
type Call = { contractAddress: string; callData: string }

export type Account = {
  address: Address
  /** Undefined where the call would succeed now, else Circle's code for why not. */
  obstacle(call: Call): Promise<string | undefined>
  /** Signs with the sender's next nonce and sends; resolves as soon as it has a hash. */
  send(call: Call): Promise<Hex>
  /** Undefined until it is mined; else whether the call itself succeeded. */
  outcome(hash: Hex): Promise<'success' | 'reverted' | undefined>
}

const GAS = 600_000n
const PLENTY = `0x${(10n ** 20n).toString(16)}`

/**
 * Calls the address in the first word with the rest, logs whether that succeeded, and never reverts
 * itself. By lines: deploys what follows; copies the rest; arguments; call; log, stop.
 */
const FORWARDER: Hex = `0x${[
  '602180600b6000396000f3',
  '60203603806020600037',
  '600060008260006000600035',
  '5af1',
  '60005260206000a000',
].join('')}`

type Sender = {
  address: Address
  send(call: { to: Address | null; data: Hex }): Promise<Hex>
}

/** One transaction at a time: two at once would take the same nonce. */
function senderOn({ client }: CircleChain, account: PrivateKeyAccount): Sender {
  let before: Promise<unknown> = Promise.resolve()
  const sendNow = async ({ to, data }: { to: Address | null; data: Hex }) => {
    const { address } = account
    const raw = await account.signTransaction({
      type: 'eip1559',
      chainId: await client.getChainId(),
      nonce: await client.getTransactionCount({ address, blockTag: 'pending' }),
      gas: GAS,
      ...(await client.estimateFeesPerGas()),
      data,
      ...(to && { to }),
    })
    await client.sendRawTransaction({ serializedTransaction: raw })
    return keccak256(raw)
  }
  return {
    address: account.address,
    send(call) {
      const sent = before.then(() => sendNow(call))
      before = sent.catch(() => {})
      return sent
    },
  }
}

async function receiptOf(
  { client }: CircleChain,
  hash: Hex,
): Promise<TransactionReceipt | undefined> {
  return client.getTransactionReceipt({ hash }).catch(() => undefined)
}

async function obstacleOf(
  { client }: CircleChain,
  { from, gasOf, call }: { from: Address; gasOf: Address; call: Call },
): Promise<string | undefined> {
  if ((await client.getBalance({ address: gasOf })) === 0n) return 'INSUFFICIENT_NATIVE_TOKEN'
  const to = call.contractAddress as Address
  const data = call.callData as Hex
  return client.call({ account: from, to, data }).then(
    () => undefined,
    () => 'ESTIMATION_ERROR',
  )
}

export type Accounts = { open(type: AccountType): Promise<Account> }

/** Without a chain accounts have addresses, and nothing they send arrives. */
export function createAccounts(chain: CircleChain | undefined): Accounts {
  if (!chain) return { open: async () => idleAccount() }
  let bundler: Sender | undefined
  return {
    async open(type) {
      const own = senderOn(chain, privateKeyToAccount(generatePrivateKey()))
      if (type === 'EOA') return plainAccount(chain, own)
      if (!bundler) {
        bundler = own
        await chain.request('hardhat_setBalance', own.address, PLENTY)
      }
      return contractAccount(chain, bundler)
    },
  }
}

function idleAccount(): Account {
  const { address } = privateKeyToAccount(generatePrivateKey())
  return {
    address,
    obstacle: async () => undefined,
    send: async () => keccak256(generatePrivateKey()),
    outcome: async () => undefined,
  }
}

const plainAccount = (chain: CircleChain, own: Sender): Account => ({
  address: own.address,
  obstacle: (call) => obstacleOf(chain, { from: own.address, gasOf: own.address, call }),
  send: ({ contractAddress, callData }) =>
    own.send({ to: contractAddress as Address, data: callData as Hex }),
  outcome: async (hash) => (await receiptOf(chain, hash))?.status,
})

async function contractAccount(chain: CircleChain, bundler: Sender): Promise<Account> {
  const deployed = await bundler.send({ to: null, data: FORWARDER })
  const { contractAddress } = await chain.client.waitForTransactionReceipt({ hash: deployed })
  if (!contractAddress) throw new Error('The account was not deployed')
  const address = contractAddress.toLowerCase() as Address
  return {
    address,
    obstacle: (call) => obstacleOf(chain, { from: address, gasOf: bundler.address, call }),
    send: ({ contractAddress: target, callData }) =>
      bundler.send({ to: address, data: concatHex([padHex(target as Hex), callData as Hex]) }),
    async outcome(hash) {
      const receipt = await receiptOf(chain, hash)
      const told = receipt?.logs.findLast((log) => log.address.toLowerCase() === address)
      if (!receipt) return undefined
      return told && BigInt(told.data) === 1n ? 'success' : 'reverted'
    },
  }
}
