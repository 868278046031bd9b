/** Answers the RPC calls of the local chain, and stops it. */
import type { Hex } from 'viem'
import { RpcError } from './chain-engine.ts'
import {
  atPresentTime,
  isTestMethod,
  isTrial,
  requireOffered,
  withFinality,
} from './chain-methods.ts'
import {
  accept,
  mineBlock,
  minePool,
  nextTimestamp,
  readHead,
  readPool,
  tellTime,
} from './chain-miner.ts'
import { type ChainState, inTurn, orFail } from './chain-state.ts'

export type RpcRequest = { method: string; params?: readonly unknown[] | undefined }

export async function request(chain: ChainState, rpc: RpcRequest): Promise<unknown> {
  const { answer, nextBlock } = await inTurn(chain, async () => ({
    answer: await dispatch(chain, rpc),
    nextBlock: chain.nextBlock,
  }))
  const isEarly = rpc.method === 'eth_getTransactionReceipt' && answer === null
  if (!isEarly || nextBlock === undefined) return answer
  // The block is milliseconds away, and clients would poll again only seconds later.
  await nextBlock.promise
  return inTurn(chain, () => dispatch(chain, rpc))
}

export async function stopChain(chain: ChainState): Promise<void> {
  await inTurn(chain, () => minePool(chain)).catch(() => {})
  clearTimeout(chain.timer)
  chain.nextBlock?.resolve()
  chain.failure ??= new Error('stop was requested')
  for (const { reject } of chain.waiting.values()) {
    reject(new Error('The local chain was stopped before the transaction was mined.'))
  }
  await chain.queue
  await chain.journal.close()
}

async function dispatch(chain: ChainState, rpc: RpcRequest): Promise<unknown> {
  const { method, params = [] } = rpc
  requireOffered({ method, tests: chain.allowTestMethods })
  if (method === 'eth_sendRawTransaction') return accept(chain, { raw: params[0] as Hex })
  if (method === 'evm_mine') return mineForTest(chain, { at: params[0] })
  if (isTestMethod(method)) return changeForTest(chain, { method, params })
  await tellTime(chain)
  const { finalityDepth: depth, head } = chain
  const final = depth > 0 ? withFinality(params, { head: head.number, depth }) : params
  const ready = isTrial(method) && !chain.minable ? atPresentTime(final) : final
  return chain.engine.call(method, ...ready)
}

async function mineForTest(chain: ChainState, { at }: { at: unknown }): Promise<Hex> {
  const time = at === undefined ? nextTimestamp(chain) : Number(at)
  if (!(time >= chain.head.timestamp)) {
    throw new RpcError({ code: -32_602, message: `a block at ${time} would be before the last` })
  }
  await mineBlock(chain, { at: time })
  return '0x0'
}

async function changeForTest(
  chain: ChainState,
  { method, params }: { method: string; params: readonly unknown[] },
): Promise<unknown> {
  const { hash } = chain.head
  const result = await chain.engine.call(method, ...params)
  await orFail(chain, async () => {
    await readHead(chain)
    await chain.journal.write([{ call: method, params, hash: chain.head.hash }])
    await readPool(chain)
  })
  if (chain.head.hash !== hash) chain.onHead()
  return result
}
