/** A process whose clock differs from the machine's, by Debian's libfaketime. */
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Environment } from '#test/processes/processes.ts'
import { CACHE, cannotFetch, fetchPackage } from './debian.ts'

const FETCHED = join(CACHE, 'libfaketime')

/** Intervals stay as they are: only the time of day differs. */
export async function movedClock(seconds: number): Promise<Environment> {
  await fetchPackage('libfaketime', FETCHED).catch(cannotFetch('libfaketime'))
  const inside = join(FETCHED, 'usr', 'lib')
  const libraries = (await readdir(inside)).map((name) =>
    join(inside, name, 'faketime', 'libfaketime.so.1'),
  )
  const library = libraries.find((path) => existsSync(path))
  if (!library) throw new Error(`There is no libfaketime in ${inside}`)
  return {
    LD_PRELOAD: library,
    FAKETIME: `${seconds < 0 ? '' : '+'}${seconds}`,
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    FAKETIME_DISABLE_SHM: '1',
  }
}
