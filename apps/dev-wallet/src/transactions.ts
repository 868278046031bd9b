/** Fills in, signs and sends a transaction of the wallet. */
import { type Hex, toHex } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { rpc, WalletError } from './gateway.ts'
import { refill } from './keys.ts'
import type { Transaction } from './words.ts'

export type Requested = Transaction & {
  from?: string
  gas?: string
  nonce?: string
  maxFeePerGas?: string
  maxPriorityFeePerGas?: string
}

const PRIORITY_WEI = 10n ** 9n

export async function send(account: PrivateKeyAccount, requested: Requested): Promise<Hex> {
  const { from, to, value, data, input } = requested
  if (from !== undefined && from.toLowerCase() !== account.address.toLowerCase()) {
    throw new WalletError(4100, 'This wallet does not hold that address.')
  }
  await refill(account.address)
  const call = (data ?? input ?? '0x') as Hex
  const draft = {
    from: account.address,
    ...(to && { to }),
    value: toHex(BigInt(value ?? 0)),
    data: call,
  }
  const [chainId, nonce, gas, block] = await Promise.all([
    rpc<string>('eth_chainId'),
    requested.nonce ?? rpc<string>('eth_getTransactionCount', [account.address, 'pending']),
    requested.gas ?? rpc<string>('eth_estimateGas', [draft]),
    rpc<{ baseFeePerGas?: string }>('eth_getBlockByNumber', ['latest', false]),
  ])
  const priority = BigInt(requested.maxPriorityFeePerGas ?? PRIORITY_WEI)
  const fee = BigInt(requested.maxFeePerGas ?? 2n * BigInt(block.baseFeePerGas ?? 0) + priority)
  const signed = await account.signTransaction({
    type: 'eip1559',
    chainId: Number(chainId),
    nonce: Number(nonce),
    // An estimate is exact on a chain that nobody else uses; the next block may differ a little.
    gas: requested.gas ? BigInt(gas) : (BigInt(gas) * 12n) / 10n,
    maxFeePerGas: fee,
    maxPriorityFeePerGas: priority < fee ? priority : fee,
    ...(to && { to: to as Hex }),
    value: BigInt(value ?? 0),
    data: call,
  })
  return rpc<Hex>('eth_sendRawTransaction', [signed])
}
