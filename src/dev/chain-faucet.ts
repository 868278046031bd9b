/** The faucet: the only funded account of the local chain, with a key that nobody else has. */
import {
  type Address,
  getAddress,
  type Hex,
  hexToBigInt,
  hexToNumber,
  type PrivateKeyAccount,
  parseGwei,
  toHex,
} from 'viem'
import { localChainId, transactionGasCap } from './chain-engine.ts'
import { accept, mined } from './chain-miner.ts'
import { type ChainState, inTurn, type Receipt } from './chain-state.ts'

export type FaucetTransfer = { to?: Address; data?: Hex; value?: bigint }

export type Faucet = {
  /** Returns the hash once the transaction is mined and has succeeded. */
  send(sending: FaucetTransfer): Promise<Hex>
  /** Deploys the name only once in the lifetime of the chain. */
  deployOnce(deployment: { name: string; data: Hex }): Promise<Address>
}

export function createFaucet(o: { chain: ChainState; account: PrivateKeyAccount }): Faucet {
  const { chain } = o
  return {
    async send(sending) {
      const { receipt } = await inTurn(chain, () => submit({ ...o, sending }))
      const { transactionHash } = requireSuccess(await receipt)
      return transactionHash
    },
    async deployOnce({ name, data }) {
      const { receipt } = await inTurn(
        chain,
        async () => (await deployed({ chain, name })) ?? submit({ ...o, sending: { data }, name }),
      )
      const { contractAddress } = requireSuccess(await receipt)
      if (contractAddress === null)
        throw new Error(`The transaction of ${name} deployed no contract.`)
      return getAddress(contractAddress)
    },
  }
}

/** Wrapped in an object, because the turn must end before the receipt can arrive. */
type Submitted = { receipt: Promise<Receipt> }

async function submit(o: {
  chain: ChainState
  account: PrivateKeyAccount
  sending: FaucetTransfer
  name?: string
}): Promise<Submitted> {
  const { chain, account, sending, name } = o
  const { to, data, value = 0n } = sending
  const call = { from: account.address, to, data, value: toHex(value) }
  const [nonce, gas, price] = await Promise.all([
    chain.engine.call<Hex>('eth_getTransactionCount', account.address, 'pending'),
    chain.engine.call<Hex>('eth_estimateGas', call, 'pending'),
    chain.engine.call<Hex>('eth_gasPrice'),
  ])
  const withMargin = (hexToBigInt(gas) * 3n) / 2n
  const raw = await account.signTransaction({
    chainId: localChainId,
    type: 'eip1559',
    nonce: hexToNumber(nonce),
    gas: withMargin < transactionGasCap ? withMargin : transactionGasCap,
    // The faucet has unlimited funds and must not wait for lower fees.
    maxFeePerGas: hexToBigInt(price) * 10n + parseGwei('1'),
    maxPriorityFeePerGas: parseGwei('1'),
    value,
    ...(to && { to }),
    ...(data && { data }),
  })
  const hash = await accept(chain, { raw, ...(name !== undefined && { name }) })
  return { receipt: mined(chain, { hash }) }
}

async function deployed(o: { chain: ChainState; name: string }): Promise<Submitted | undefined> {
  const { chain, name } = o
  const hash = chain.names.get(name)
  if (hash === undefined) return undefined
  const receipt = await chain.engine.call<Receipt | null>('eth_getTransactionReceipt', hash)
  if (receipt?.status === '0x1') return { receipt: Promise.resolve(receipt) }
  const waits = [...chain.pool.values()].includes(hash)
  return waits ? { receipt: mined(chain, { hash }) } : undefined
}

function requireSuccess(receipt: Receipt): Receipt {
  if (receipt.status === '0x1') return receipt
  throw new Error(`The transaction ${receipt.transactionHash} was mined and reverted.`)
}
