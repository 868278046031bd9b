/** The view of a load balancer: which processes report ready at `/health/ready`. */
import { setTimeout as wait } from 'node:timers/promises'
import { onCleanUp } from './processes.ts'
import { ask } from './service.ts'

/** Several times within the seconds that a process drains. */
const LOOKS_EVERY_MS = 200

export type Rotation = {
  /** Changes as processes come and go. */
  ready: string[]
  stop(): Promise<void>
}

const isReady = async (url: string): Promise<boolean> => {
  const headers = { connection: 'close' }
  const reply = await ask('GET', `${url}/health/ready`, { headers }).catch(() => undefined)
  return reply?.status === 200
}

export function watchReadiness(urls: readonly string[]): Rotation {
  const ready: string[] = []
  let isStopped = false
  const watch = async (url: string) => {
    while (!isStopped) {
      const isIn = await isReady(url)
      const place = ready.indexOf(url)
      if (isIn && place < 0) ready.push(url)
      if (!isIn && place >= 0) ready.splice(place, 1)
      await wait(LOOKS_EVERY_MS)
    }
  }
  const watching = Promise.all(urls.map(watch))
  const stop = async () => {
    isStopped = true
    await watching
  }
  onCleanUp(stop)
  return { ready, stop }
}
