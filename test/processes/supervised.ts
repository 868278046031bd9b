/** Processes that are restarted whenever they end, and faults that end them. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Random } from '#test/fuzz/random.ts'
import { type Environment, type Running, runScript } from './processes.ts'

export type Slot = {
  current(): Running
  /** How often it was started. */
  readonly starts: number
  stop(): Promise<void>
}

/** Restarts a process that has ended, for any reason, as a supervisor does. */
export function keepRunning(script: string, env: Environment): Slot {
  let isStopped = false
  let running = runScript(script, env)
  let starts = 1
  const supervise = async () => {
    while (!isStopped) {
      await running.ended
      if (isStopped) return
      await wait(100)
      running = runScript(script, env)
      starts += 1
    }
  }
  const supervised = supervise()
  return {
    current: () => running,
    get starts() {
      return starts
    },
    async stop() {
      isStopped = true
      running.kill('SIGKILL')
      await supervised
    },
  }
}

export type Pace = { minMs: number; maxMs: number; strikesMin: number }
/** Ends when it has struck often enough and is told to stop. */
export type Storm = { stop(): Promise<void> }

/** Strikes at random moments; `count` is 1 for the first. */
export function blow(
  random: Random,
  { minMs, maxMs, strikesMin }: Pace,
  strike: (count: number) => Promise<void>,
): Storm {
  let isToldToStop = false
  const storm = async () => {
    for (let strikes = 0; !isToldToStop || strikes < strikesMin; ) {
      await wait(random.integer(minMs, maxMs))
      strikes += 1
      await strike(strikes)
    }
  }
  const blowing = storm()
  return {
    async stop() {
      isToldToStop = true
      await blowing
    },
  }
}
