/** What happens to a primary, and how it comes back. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Random } from '#test/fuzz/random.ts'
import type { HaNode } from './node.ts'

/** Ends what was done; the node then joins again by itself. */
type End = () => Promise<void>

export const FAULTS = {
  /** Patroni starts it again, or hands over. */
  async postgresKilled(node: HaNode): Promise<End> {
    await node.killPostgres()
    return async () => {}
  },
  /** PostgreSQL goes on without supervision, and a standby takes over. */
  async patroniKilled(node: HaNode): Promise<End> {
    node.killPatroni()
    return async () => node.revive()
  },
  async nodeKilled(node: HaNode): Promise<End> {
    node.killPatroni()
    await node.killPostgres()
    return async () => node.revive()
  },
  /** It wakes up later and does not know that it was replaced. */
  async frozen(node: HaNode): Promise<End> {
    await node.freeze()
    return async () => node.thaw()
  },
  /** Clients still reach it: two primaries, if anything goes wrong. */
  async cutOffFromNodes(node: HaNode): Promise<End> {
    node.cut({ clients: false })
    return async () => node.heal()
  },
  async cutOffFromAll(node: HaNode): Promise<End> {
    node.cut({ clients: true })
    return async () => node.heal()
  },
}

export type Fault = keyof typeof FAULTS

/** Each kind in turn, in random order: their numbers differ by one at most. */
export function faultsInTurn(random: Random): () => Fault {
  let left: Fault[] = []
  return () => {
    if (left.length === 0) left = Object.keys(FAULTS) as Fault[]
    const next = random.pick(left)
    left = left.filter((one) => one !== next)
    return next
  }
}

/** Polls, because a condition that fails throws. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  withinMs: number,
): Promise<boolean> {
  const end = performance.now() + withinMs
  while (performance.now() < end) {
    if (await condition()) return true
    await wait(50)
  }
  return false
}
