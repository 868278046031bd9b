import type { WriteOutcome } from './lane.ts'

/** Runs all even if one fails, because they work on different payments. */
export async function sideBySide(
  ...works: (WriteOutcome | Promise<WriteOutcome>)[]
): Promise<WriteOutcome> {
  const done = await Promise.allSettled(works)
  for (const one of done) if (one.status === 'rejected') throw one.reason
  return done.some((one) => one.status === 'fulfilled' && one.value === 'stale') ? 'stale' : 'done'
}
