/** The EVM behind the local chain: Hardhat's engine, in process, with a reproducible genesis. */
import type * as Edr from '@nomicfoundation/edr'
import { type Address, type Hex, hexToBytes, parseEther, parseGwei } from 'viem'

export const localChainId = 31_337

/** The EIP-7825 limit for one transaction, which the engine enforces. */
export const transactionGasCap = 16_777_216n
const blockGasLimit = 60_000_000n

export type Call = { method: string; params: readonly unknown[] }

export type Engine = {
  call<T>(method: string, ...params: unknown[]): Promise<T>
  /** Runs many calls in one crossing into the engine; the first failure ends it. */
  batch(calls: readonly Call[]): Promise<unknown[]>
}

/** An error answer of the chain; `data` of a revert is what the contract returned. */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: number
  readonly data: unknown

  constructor({ code, message, data }: { code: number; message: string; data?: unknown }) {
    super(message)
    this.code = code
    this.data = data ?? undefined
  }
}

type EngineAnswer = {
  result?: unknown
  error?: { code: number; message: string; data?: unknown }
}

/** The engine needs one context per process, however many chains run in it. */
let shared: Promise<{ edr: typeof Edr; context: Edr.EdrContext }> | undefined

async function loadEngine() {
  // Loaded when a chain starts, so that with RPC_URLS the native library is never touched.
  const edr = await import('@nomicfoundation/edr')
  const context = new edr.EdrContext()
  await context.registerProviderFactory(edr.L1_CHAIN_TYPE, edr.l1ProviderFactory())
  return { edr, context }
}

export async function createEngine(o: {
  /** Unix seconds. The same genesis and the same calls give the same block hashes. */
  genesisTime: number
  /** The only funded account; the well-known development keys have no funds. */
  rich: Address
}): Promise<Engine> {
  shared ??= loadEngine()
  const { edr, context } = await shared
  const provider = await context.createProvider(
    edr.L1_CHAIN_TYPE,
    providerConfig({ edr, ...o }),
    { enable: false, decodeConsoleLogInputsCallback: () => [], printLineCallback: () => {} },
    { subscriptionCallback: () => {} },
    new edr.ContractDecoder(),
  )
  const ask = async (body: unknown): Promise<unknown> => {
    const { data } = await provider.handleRequest(JSON.stringify(body))
    const answer: EngineAnswer = typeof data === 'string' ? JSON.parse(data) : data
    if (answer.error) throw toRpcError(answer.error)
    return answer.result
  }
  return {
    call: <T>(method: string, ...params: unknown[]) =>
      ask(envelope({ method, params })) as Promise<T>,
    batch: (calls) => ask(calls.map(envelope)) as Promise<unknown[]>,
  }
}

const envelope = ({ method, params }: Call) => ({ jsonrpc: '2.0', id: 1, method, params })

function providerConfig(o: {
  edr: typeof Edr
  genesisTime: number
  rich: Address
}): Edr.ProviderConfig {
  const { edr, genesisTime, rich } = o
  const account = { address: hexToBytes(rich), balance: parseEther('1000000000000') }
  return {
    allowBlocksWithSameTimestamp: true,
    allowUnlimitedContractSize: false,
    bailOnCallFailure: true,
    bailOnTransactionFailure: false,
    chainId: BigInt(localChainId),
    coinbase: new Uint8Array(20),
    defaultTransactionGasLimit: transactionGasCap,
    genesisState: [...edr.l1GenesisState(edr.l1HardforkFromString(edr.OSAKA)), account],
    // Pinned instead of "latest": other consensus rules would change every block hash.
    hardfork: edr.OSAKA,
    initialBaseFeePerGas: parseGwei('1'),
    minGasPrice: 0n,
    mining: { autoMine: false, blockGasLimit, memPool: { order: edr.MineOrdering.Fifo } },
    network: { genesisBlockGasLimit: blockGasLimit, genesisBlockTime: BigInt(genesisTime) },
    networkId: BigInt(localChainId),
    observability: {},
    ownedAccounts: [],
    precompileOverrides: [],
  }
}

/** The engine's wording, and the wording of public nodes that clients look for. */
const nodeMessages: [RegExp, string][] = [
  [/^Known transaction/, 'already known'],
  [/nonce too low/, 'nonce too low'],
  [/^Sender doesn't have enough funds/, 'insufficient funds for gas * price + value'],
  [/^Replacement transaction underpriced/, 'replacement transaction underpriced'],
]

/** Gives a revert the form of public nodes, so that one client implementation reads both. */
function toRpcError(error: { code: number; message: string; data?: unknown }): RpcError {
  const { code, message } = error
  const returned = revertData(error.data)
  if (returned !== undefined) {
    const reason = /reverted with reason string '(.*)'$/s.exec(message)?.[1]
    const revertMessage =
      reason === undefined ? 'execution reverted' : `execution reverted: ${reason}`
    return new RpcError({ code: 3, message: revertMessage, data: returned })
  }
  const nodeMessage = nodeMessages.find(([pattern]) => pattern.test(message))?.[1]
  return new RpcError({
    ...error,
    code,
    message: nodeMessage ? `${nodeMessage}: ${message}` : message,
  })
}

function revertData(data: unknown): Hex | undefined {
  if (typeof data !== 'object' || data === null || !('reason' in data)) return undefined
  const { reason } = data
  if (typeof reason !== 'object' || reason === null || !('Revert' in reason)) return undefined
  return reason.Revert as Hex
}
