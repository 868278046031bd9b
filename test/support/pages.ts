/** Builds the pages before the first test if their sources have changed, once for all files. */
import { buildPages } from '#dev/build-pages.ts'

export async function setup(): Promise<void> {
  const problem = await buildPages()
  if (problem) throw new Error(`The applications are ${problem}`)
}
