/** The life of a process: start, run until told to stop, stop in order, leave nothing running. */
import { describeFailure } from './terminal.ts'

export type Service = {
  stop(): Promise<void>
  /** Rejects when the service cannot go on. */
  failed?: Promise<never>
}

const STOP_WITHIN_MS = 20_000
const PARENT_CHECK_MS = 500
const SAME_SIGNAL_MS = 2_000

const fail = (error: unknown): never => {
  process.stderr.write(`${describeFailure(error)}\n`)
  process.exit(1)
}

/**
 * Resolves at the first SIGINT, SIGTERM or SIGHUP (a closed terminal). A later one does not wait
 * for order; one right after the first is the same Ctrl-C, which npm passes on once more.
 */
function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    let toldAt: number | undefined
    const onSignal = () => {
      if (toldAt !== undefined && performance.now() - toldAt > SAME_SIGNAL_MS) process.exit(130)
      toldAt ??= performance.now()
      resolve()
    }
    process.on('SIGINT', onSignal)
    process.on('SIGTERM', onSignal)
    process.on('SIGHUP', onSignal)
  })
}

/**
 * Some shells do not pass npm's signal on: when the parent that started us is gone, stop as if we
 * had been told to.
 */
function untilOrphaned(): Promise<void> {
  const parent = process.ppid
  return new Promise((resolve) => {
    setInterval(() => {
      if (process.ppid !== parent) resolve()
    }, PARENT_CHECK_MS).unref()
  })
}

export async function runService(
  start: () => Promise<Service>,
  { stopsWithParent = false } = {},
): Promise<void> {
  const ends = [untilSignal()]
  if (stopsWithParent) ends.push(untilOrphaned())
  const told = Promise.race(ends).then(() => 'told' as const)

  const starting = start()
  const service = await starting.catch(fail)
  await Promise.race([told, service.failed ?? told]).catch(async (error) => {
    process.stderr.write(`${describeFailure(error)}\n`)
    process.exitCode = 1
  })
  setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref()
  await service.stop().catch(fail)
  process.exit()
}
