/** Real workers, each with its own proxies to the database and the chain, that die at a point. */
import { type Hex, keccak256 } from 'viem'
import { expect, vi } from 'vitest'
import { startRpcProxy } from '#test/chain/rpc-proxy.ts'
import { untilUp } from './cluster.ts'
import type { Happening, Mark, Point } from './crash-points.ts'
import { startPostgresTap } from './postgres-tap.ts'
import { type Ended, type Environment, onCleanUp, type Running } from './processes.ts'
import { keepRunning } from './supervised.ts'

/** `killed`: the worker that reached the point, once it is dead. */
type Trap = { killed?: Ended }

export type TrappedWorkers = {
  /** Restarts the dead worker. */
  untilUp(): Promise<void>
  /** One at a time: the first worker to reach the point with this payment is killed, once. */
  set(point: Point, mark: Mark): Trap
}

type Armed = {
  point: Point
  mark: Mark
  /** Processes that have done what must come before. */
  ready: WeakSet<Running>
  spring(running: Running): Promise<void>
}

export async function startTrappedWorkers({
  count,
  databaseUrl,
  rpcUrl,
  env,
}: {
  count: number
  databaseUrl: string
  rpcUrl: string
  env: Environment
}): Promise<TrappedWorkers> {
  const trap: { armed?: Armed | undefined } = {}
  const trapped: Trapped[] = []
  for (let n = 0; n < count; n += 1) {
    trapped.push(await startBehindTrap(trap, { databaseUrl, rpcUrl, env }))
  }
  const allUp = async () => {
    await Promise.all(trapped.map((one) => one.untilUp()))
  }
  await allUp()
  return {
    untilUp: allUp,
    set(point, mark) {
      const set: Trap = {}
      const spring = async (running: Running) => {
        set.killed = await running.ended
      }
      trap.armed = { point, mark, ready: new WeakSet(), spring }
      return set
    },
  }
}

type Trapped = { untilUp(): Promise<void> }

async function startBehindTrap(
  trap: { armed?: Armed | undefined },
  { databaseUrl, rpcUrl, env }: { databaseUrl: string; rpcUrl: string; env: Environment },
): Promise<Trapped> {
  let caught: Armed | undefined
  let deaths = 0
  const isThere = (happening: Happening, cut: Point['cut']): boolean => {
    const { armed } = trap
    if (!armed) return false
    const { point, mark, ready } = armed
    noteHash(happening, mark)
    if (point.after?.(happening, mark)) ready.add(slot.current())
    const isDue = !point.after || ready.has(slot.current())
    if (!isDue || point.cut !== cut || !point.hears(happening, mark)) return false
    caught = armed
    trap.armed = undefined
    return true
  }
  const kill = () => {
    const running = slot.current()
    running.kill('SIGKILL')
    deaths += 1
    void caught?.spring(running)
  }

  const tap = await startPostgresTap(databaseUrl, {
    hear(asked) {
      const cut = trap.armed?.point.cut
      return cut && isThere({ of: 'database', asked }, cut) ? cut : undefined
    },
    cut: kill,
  })
  const node = await startRpcProxy(rpcUrl)
  node.trouble = (call) => {
    if (!isThere({ of: 'chain', call }, 'asked')) return undefined
    kill()
    return 'silence'
  }
  node.tamper = (call, answer) => {
    if (!isThere({ of: 'chain', call, answer }, 'answered')) return answer
    kill()
    throw new Error('Nobody is there to be answered')
  }
  onCleanUp(() => tap.stop())
  onCleanUp(() => node.stop())
  const slot = keepRunning('src/worker.ts', { ...env, DATABASE_URL: tap.url, RPC_URLS: node.url })
  onCleanUp(() => slot.stop())
  return {
    async untilUp() {
      await vi.waitFor(() => expect(slot.starts).toBeGreaterThan(deaths), 20_000)
      await untilUp(slot)
    },
  }
}

/** What is sent to the payment's vault is identified by its hash from then on. */
function noteHash(happening: Happening, { vault, hashes }: Mark): void {
  if (happening.of !== 'chain' || happening.call.method !== 'eth_sendRawTransaction') return
  const raw: Hex = happening.call.params[0]
  if (raw.toLowerCase().includes(vault.slice(2))) hashes.push(keccak256(raw))
}
