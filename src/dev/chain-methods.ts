/** The RPC methods that the local chain offers, and the meaning of block tags on it. */
import { toHex } from 'viem'
import { RpcError } from './chain-engine.ts'

/** Excludes methods that change the chain other than by a signed transaction. */
const offered = new Set([
  'eth_accounts',
  'eth_blobBaseFee',
  'eth_blockNumber',
  'eth_call',
  'eth_chainId',
  'eth_estimateGas',
  'eth_feeHistory',
  'eth_gasPrice',
  'eth_getBalance',
  'eth_getBlockByHash',
  'eth_getBlockByNumber',
  'eth_getBlockTransactionCountByHash',
  'eth_getBlockTransactionCountByNumber',
  'eth_getCode',
  'eth_getFilterChanges',
  'eth_getFilterLogs',
  'eth_getLogs',
  'eth_getProof',
  'eth_getStorageAt',
  'eth_getTransactionByBlockHashAndIndex',
  'eth_getTransactionByBlockNumberAndIndex',
  'eth_getTransactionByHash',
  'eth_getTransactionCount',
  'eth_getTransactionReceipt',
  'eth_maxPriorityFeePerGas',
  'eth_newBlockFilter',
  'eth_newFilter',
  'eth_newPendingTransactionFilter',
  'eth_pendingTransactions',
  'eth_sendRawTransaction',
  'eth_syncing',
  'eth_uninstallFilter',
  'net_version',
  'web3_clientVersion',
  'web3_sha3',
])

const forTests = new Set([
  'evm_mine',
  'evm_revert',
  'evm_snapshot',
  'hardhat_dropTransaction',
  'hardhat_setBalance',
  'hardhat_setCode',
  'hardhat_setStorageAt',
])

/** Executes a contract without changing anything. */
export const isTrial = (method: string): boolean =>
  method === 'eth_call' || method === 'eth_estimateGas'

export const isTestMethod = (method: string): boolean => forTests.has(method)

export function requireOffered({ method, tests }: { method: string; tests: boolean }): void {
  if (offered.has(method) || (tests && forTests.has(method))) return
  throw new RpcError({
    code: -32_601,
    message: `the method ${method} does not exist/is not available`,
  })
}

/** Blocks within this depth of the head may still be replaced. */
export type Finality = { head: number; depth: number }

/** The engine resolves `finalized` and `safe` to the head; here they stay behind it. */
export function withFinality(params: readonly unknown[], finality: Finality): unknown[] {
  const block = toHex(Math.max(0, finality.head - finality.depth))
  const translate = (value: unknown) => (value === 'finalized' || value === 'safe' ? block : value)
  return params.map((param) => {
    if (typeof param !== 'object' || param === null || Array.isArray(param)) return translate(param)
    if (!('fromBlock' in param || 'toBlock' in param)) return param
    const range = Object.entries(param).map(([name, value]) => [name, translate(value)])
    return Object.fromEntries(range)
  })
}

/**
 * With an empty pool the pending block has the latest state but the current time. Blocks are not
 * mined while idle, so a call at `latest` would use an old time and accept an expired deadline.
 */
export function atPresentTime(params: readonly unknown[]): unknown[] {
  const [call, block = 'latest', ...rest] = params
  return [call, block === 'latest' || block === null ? 'pending' : block, ...rest]
}
