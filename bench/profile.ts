/** A CPU profile of one piece of work of this process, for browsers and editors to open. */
import { mkdir, writeFile } from 'node:fs/promises'
import { Session } from 'node:inspector/promises'
import { join } from 'node:path'

const RESULTS = join(import.meta.dirname, 'results')

export async function profiled<T>(name: string, work: () => Promise<T>): Promise<T> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.start')
  try {
    return await work()
  } finally {
    const { profile } = await session.post('Profiler.stop')
    session.disconnect()
    await mkdir(RESULTS, { recursive: true })
    await writeFile(join(RESULTS, `${name}.cpuprofile`), JSON.stringify(profile))
  }
}
