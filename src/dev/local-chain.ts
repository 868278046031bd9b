/** The chain of the embedded default: an EVM on loopback whose state is kept in the data folder. */
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import type { Address, Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import type { Clock } from '#platform/clock.ts'
import { StartupError } from '#platform/errors.ts'
import { createEngine, localChainId } from './chain-engine.ts'
import { createFaucet, type FaucetTransfer } from './chain-faucet.ts'
import { brokenJournal, type Journal, openJournal } from './chain-journal.ts'
import { request, stopChain } from './chain-node.ts'
import { replay } from './chain-replay.ts'
import { listenForRpc } from './chain-server.ts'
import type { ChainState } from './chain-state.ts'
import { loadOrCreateSecret, reasonOf } from './data-folder.ts'

export type LocalChain = {
  rpcUrl: string
  port: number
  chainId: number
  /** Pays for everything sent from here. */
  faucet: Address
  /** Same as over HTTP, for viem's `custom` transport. */
  request(args: { method: string; params?: readonly unknown[] }): Promise<unknown>
  /** Sends native tokens and returns the hash once they have arrived. */
  fund(o: { address: Address; wei: bigint }): Promise<Hex>
  /** Sends from the faucet and returns the hash once mined; rejects a call that would revert. */
  send(sending: FaucetTransfer): Promise<Hex>
  /** Deploys only once; later calls return the same address, whatever the data. */
  deployOnce(o: { name: string; data: Hex }): Promise<Address>
  /**
   * Rejects when the chain cannot continue, for example on a full disk; otherwise stays pending.
   */
  failed: Promise<never>
  stop(): Promise<void>
}

export type LocalChainOptions = {
  /** The data folder; the chain uses a subfolder. */
  folder: string
  /** 0 takes any free port. */
  port: number
  clock: Clock
  /** How many blocks `finalized` and `safe` stay behind the head. */
  finalityDepth?: number
  /** Infinity leaves mining to `evm_mine`. */
  mineAfterMs?: number
  /**
   * Each block is dated a second after the last one, but at most this far ahead of the clock:
   * blocks come faster than that, and deadlines would pass early.
   */
  aheadLimitSeconds?: number
  /** Snapshots, reverts and explicit mining, for tests of reorganisations. */
  allowTestMethods?: boolean
  /** Called after each change of the head. */
  onHead?: () => void
}

/** Whether the folder has a chain already. */
export const hasLocalChain = ({ folder }: { folder: string }): Promise<boolean> =>
  access(join(folder, 'chain')).then(
    () => true,
    () => false,
  )

export async function startLocalChain(options: LocalChainOptions): Promise<LocalChain> {
  const ready = Promise.withResolvers<ChainState>()
  ready.promise.catch(() => {})
  // First, so that a port in use is reported at once; early requests wait.
  const server = await listenForRpc({
    port: options.port,
    answer: async (args) => request(await ready.promise, args),
  })
  try {
    const { chain, account } = await openChain(options)
    ready.resolve(chain)
    const { send, deployOnce } = createFaucet({ chain, account })
    return {
      rpcUrl: `http://127.0.0.1:${server.port}`,
      port: server.port,
      chainId: localChainId,
      faucet: account.address,
      request: (args) => request(chain, args),
      fund: ({ address, wei }) => send({ to: address, value: wei }),
      send,
      deployOnce,
      failed: failureOf(chain),
      async stop() {
        await server.close()
        await stopChain(chain)
      },
    }
  } catch (error) {
    ready.reject(error)
    await server.close()
    throw error
  }
}

function failureOf(chain: ChainState): Promise<never> {
  const failed = chain.failed.promise.catch((error) => {
    throw new StartupError(`The local chain stopped: ${reasonOf(error)}.`)
  })
  failed.catch(() => {})
  return failed
}

async function openChain(options: LocalChainOptions) {
  const folder = join(options.folder, 'chain')
  const journal = await openJournal({ folder })
  try {
    const key = await loadOrCreateSecret({ folder, name: 'faucet-key', make: generatePrivateKey })
    const account = privateKeyToAccount(key as Hex)
    const chain = await createState({ ...options, journal, folder, rich: account.address })
    await replay(chain, { folder })
    return { chain, account }
  } catch (error) {
    await journal.close()
    throw error
  }
}

async function createState(
  o: LocalChainOptions & { journal: Journal; rich: Address },
): Promise<ChainState> {
  const { journal, clock, folder, rich } = o
  const now = Math.floor(clock.now().getTime() / 1000)
  const genesisTime = journal.header?.genesisTime ?? now
  const engine = await createEngine({ genesisTime, rich })
  const { hash: genesis } = await engine.call<{ hash: Hex }>('eth_getBlockByNumber', '0x0', false)
  if (journal.header === undefined) {
    await journal.begin({ version: 1, chainId: localChainId, genesisTime, genesis })
  } else if (journal.header.genesis !== genesis) {
    throw brokenJournal({ folder, why: 'it was started with another faucet key or version' })
  }
  return {
    engine,
    journal,
    clock,
    finalityDepth: o.finalityDepth ?? 0,
    mineAfterMs: o.mineAfterMs ?? 20,
    aheadLimitSeconds: o.aheadLimitSeconds ?? 15,
    allowTestMethods: o.allowTestMethods ?? false,
    onHead: o.onHead ?? (() => {}),
    head: { number: 0, hash: genesis, timestamp: genesisTime },
    newestTimestamp: genesisTime,
    highest: 0,
    pendingTimestamp: undefined,
    pool: new Map(),
    names: new Map(),
    minable: false,
    timer: undefined,
    nextBlock: undefined,
    queue: Promise.resolve(),
    waiting: new Map(),
    failed: Promise.withResolvers(),
    failure: undefined,
  }
}
