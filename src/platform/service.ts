/** Process lifecycle: start, run until a signal, shut down in order. */
import { describeFailure, failureOf } from './terminal.ts'

export type Service = {
  stop(): Promise<void>
  /** Rejects if the service fails permanently. */
  failed?: Promise<never>
}

const STOP_WITHIN_MS = 20_000
const PARENT_CHECK_MS = 500
const SAME_SIGNAL_MS = 2_000

const fail = (error: unknown): never => {
  const { code, stderr } = failureOf(error)
  process.stderr.write(stderr)
  process.exit(code)
}

/**
 * Resolves at the first SIGINT, SIGTERM or SIGHUP (a closed terminal). A later signal exits
 * immediately; one right after the first is the same Ctrl-C, which npm forwards again.
 */
function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    let firstAt: number | undefined
    const onSignal = () => {
      if (firstAt !== undefined && performance.now() - firstAt > SAME_SIGNAL_MS) process.exit(130)
      firstAt ??= performance.now()
      resolve()
    }
    process.on('SIGINT', onSignal)
    process.on('SIGTERM', onSignal)
    process.on('SIGHUP', onSignal)
  })
}

/**
 * Resolves when the parent process is gone. Some shells do not forward npm's signal, so this counts
 * as a signal too.
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
  const stopped = Promise.race(ends).then(() => 'stopped' as const)

  const starting = start()
  const service = await starting.catch(fail)
  await Promise.race([stopped, service.failed ?? stopped]).catch(async (error) => {
    process.stderr.write(`${describeFailure(error)}\n`)
    process.exitCode = 1
  })
  setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref()
  await service.stop().catch(fail)
  process.exit()
}
