/** What the processes of the benchmark of live streams say to each other. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

type Event = { id: string; kind: string; aggregateId: string } & Record<string, unknown>
export type Published = { topic: string; event: Event }

export type Usage = {
  rssBytes: number
  heapBytes: number
  /** Objects of JavaScript alone, and memory outside their heap such as that of buffers. */
  usedHeapBytes: number
  externalBytes: number
  cpuMicroseconds: number
  /** Streams that were cut off as too slow. */
  cut: number
}

/** In a server: tells what it uses, if asked to after collecting its garbage. */
export function answerUsage(cutOff: () => Promise<number> = async () => 0): void {
  // Nobody is left to measure it, and a profile is written at the exit.
  process.on('disconnect', () => process.exit())
  process.on('message', async (message: { usage?: number; tidy?: boolean }) => {
    if (message.usage === undefined) return
    if (message.tidy) globalThis.gc?.()
    const { rss, heapUsed, external } = process.memoryUsage()
    const { user, system } = process.cpuUsage()
    const usage: Usage = {
      rssBytes: rss,
      heapBytes: heapUsed + external,
      usedHeapBytes: heapUsed,
      externalBytes: external,
      cpuMicroseconds: user + system,
      cut: await cutOff(),
    }
    process.send?.({ ...usage, asked: message.usage })
  })
}

let asked = 0

/** Asks a child and waits for the answer to this question. */
export async function ask<T>(child: ChildProcess, question: object): Promise<T> {
  asked += 1
  const own = asked
  const name = Object.keys(question)[0] ?? ''
  child.send({ ...question, ...(name === 'usage' ? { usage: own } : { asked: own }) })
  for (;;) {
    const [answer] = await once(child, 'message')
    if (answer.asked === own) return answer as T
  }
}

type Launch = { isQuiet?: boolean; flags?: string[] }

/** `isQuiet`: what it logs is written and thrown away. */
export function launch(
  name: string,
  env: NodeJS.ProcessEnv = {},
  { isQuiet = false, flags = [] }: Launch = {},
): ChildProcess {
  const file = join(import.meta.dirname, `${name}.ts`)
  const execArgv = ['--expose-gc', '--max-semi-space-size=16', ...flags]
  const stderr = isQuiet ? 'ignore' : 'inherit'
  const stdio = ['inherit', 'inherit', stderr, 'ipc'] as const
  return fork(file, { execArgv, env: { ...process.env, ...env }, stdio: [...stdio] })
}

export async function portOf(child: ChildProcess): Promise<number> {
  const [message] = await once(child, 'message')
  return message.port
}
