/** The probe loop of every worker: the process that claims the round probes all services. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Context } from '#context.ts'
import { claimRound, finishRound, holdsRound } from './health.store.ts'
import { type ProbeContext, probeServices } from './probe-services.ts'
import { recordHealth } from './record-health.ts'

const ROUND_EVERY_SECONDS = 15
/** Longer than a round can take. Another process takes over after this if one died. */
const LEASE_SECONDS = 30
const TRY_EVERY_MS = 3_000

export type HealthContext = ProbeContext & Pick<Context, 'ids' | 'log'>

/** False when another process holds the round, or none is due. */
export async function runRound(
  ctx: HealthContext,
  { signal }: { signal?: AbortSignal } = {},
): Promise<boolean> {
  const lease = await claimRound(ctx.db, { leaseSeconds: LEASE_SECONDS })
  if (lease === undefined) return false
  const looks = await probeServices(ctx, signal ? { signal } : {})
  // An aborted round says nothing about the services, nor does one that another process took over.
  const goesOn = async () => !signal?.aborted && (await holdsRound(ctx.db, lease))
  await recordHealth(ctx, looks, { goesOn })
  await finishRound(ctx.db, { lease, everySeconds: signal?.aborted ? 0 : ROUND_EVERY_SECONDS })
  return true
}

export function startHealthWatch(ctx: HealthContext): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const { signal } = stopping
  let hasFailed = false
  const loop = async () => {
    while (!signal.aborted) {
      try {
        await runRound(ctx, { signal })
        hasFailed = false
      } catch (error) {
        const isFirstFailure = !hasFailed && !signal.aborted
        if (isFirstFailure) ctx.log.warn({ err: error }, 'cannot record service health')
        hasFailed = true
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
