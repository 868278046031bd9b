/** The EVM behind the local chain: Hardhat's engine in process, with a genesis it can rebuild. */
import type * as Edr from '@nomicfoundation/edr'
import { type Address, type Hex, hexToBytes, parseEther, parseGwei } from 'viem'

export const localChainId = 31_337

/** What EIP-7825 allows one transaction; the engine holds to it. */
export const transactionGasCap = 16_777_216n
const blockGasLimit = 60_000_000n

export type Call = { method: string; params: readonly unknown[] }

export type Engine = {
  call<T>(method: string, ...params: unknown[]): Promise<T>
  /** One crossing into the engine for many calls; the first that fails ends it. */
  batch(calls: readonly Call[]): Promise<unknown[]>
}

/** An answer of the chain that says no; `data` of a revert is what the contract returned. */
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

/** The engine wants one context per process, whatever number of chains run in it. */
let shared: Promise<{ edr: typeof Edr; context: Edr.EdrContext }> | undefined

async function loadEngine() {
  // Loaded when a chain is started: with RPC_URLS the native library is never touched.
  const edr = await import('@nomicfoundation/edr')
  const context = new edr.EdrContext()
  await context.registerProviderFactory(edr.L1_CHAIN_TYPE, edr.l1ProviderFactory())
  return { edr, context }
}

export async function createEngine(o: {
  /** Unix seconds. The same genesis and the same calls give the same block hashes. */
  genesisTime: number
  /** The only account with money; the well-known development keys have none. */
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
    // Named, not "the latest": another rule set would give every block another hash.
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

/** The engine's words on the left; on the right what public nodes say and clients look for. */
const nodeWords: [RegExp, string][] = [
  [/^Known transaction/, 'already known'],
  [/nonce too low/, 'nonce too low'],
  [/^Sender doesn't have enough funds/, 'insufficient funds for gas * price + value'],
  [/^Replacement transaction underpriced/, 'replacement transaction underpriced'],
]

/** A revert takes the form public nodes give it, so that one client code reads both. */
function toRpcError(error: { code: number; message: string; data?: unknown }): RpcError {
  const { code, message } = error
  const returned = revertData(error.data)
  if (returned !== undefined) {
    const reason = /reverted with reason string '(.*)'$/s.exec(message)?.[1]
    const said = reason === undefined ? 'execution reverted' : `execution reverted: ${reason}`
    return new RpcError({ code: 3, message: said, data: returned })
  }
  const words = nodeWords.find(([pattern]) => pattern.test(message))?.[1]
  return new RpcError({ ...error, code, message: words ? `${words}: ${message}` : message })
}

function revertData(data: unknown): Hex | undefined {
  if (typeof data !== 'object' || data === null || !('reason' in data)) return undefined
  const { reason } = data
  if (typeof reason !== 'object' || reason === null || !('Revert' in reason)) return undefined
  return reason.Revert as Hex
}
