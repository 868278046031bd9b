/** The loop in every worker: whoever claims a round looks at all parts and writes it down. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Context } from '#context.ts'
import { claimRound, finishRound, holdsRound } from './health.store.ts'
import { type ProbeContext, probeServices } from './probe-services.ts'
import { recordHealth } from './record-health.ts'

const ROUND_EVERY_SECONDS = 15
/** Longer than a round can take: a process that died leaves it to another after this. */
const LEASE_SECONDS = 30
const TRY_EVERY_MS = 3_000

export type HealthContext = ProbeContext & Pick<Context, 'ids' | 'log'>

/** False when another process is at it, or none is due. */
export async function runRound(
  ctx: HealthContext,
  { signal }: { signal?: AbortSignal } = {},
): Promise<boolean> {
  const lease = await claimRound(ctx.db, { leaseSeconds: LEASE_SECONDS })
  if (lease === undefined) return false
  const looks = await probeServices(ctx, signal ? { signal } : {})
  // What was cut short says nothing about the parts; nor does what another has looked at since.
  const goesOn = async () => !signal?.aborted && (await holdsRound(ctx.db, lease))
  await recordHealth(ctx, looks, { goesOn })
  await finishRound(ctx.db, { lease, everySeconds: signal?.aborted ? 0 : ROUND_EVERY_SECONDS })
  return true
}

export function startHealthWatch(ctx: HealthContext): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const { signal } = stopping
  let isInTrouble = false
  const loop = async () => {
    while (!signal.aborted) {
      try {
        await runRound(ctx, { signal })
        isInTrouble = false
      } catch (error) {
        const isNews = !isInTrouble && !signal.aborted
        if (isNews) ctx.log.warn({ err: error }, 'the health of the parts cannot be recorded')
        isInTrouble = true
      }
      await wait(TRY_EVERY_MS, undefined, { signal }).catch(() => {})
    }
  }
  const running = loop()
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}
