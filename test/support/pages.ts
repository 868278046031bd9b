/** Builds the pages before the first test if their sources have changed. One build for all files. */
import { buildPages } from '../../src/dev/build-pages.ts'

export async function setup(): Promise<void> {
  const problem = await buildPages()
  if (problem) throw new Error(`The applications are ${problem}`)
}
