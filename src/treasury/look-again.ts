/** How soon a job looks again for what is not on the chain yet. Pure. */
import { timestampToSeconds } from '@countersign/proof/values.ts'

export const LOOK_AGAIN_SECONDS = 5
const LOOK_AGAIN_MAX_SECONDS = 300
const SHARE_OF_AGE = 20

/** The longer it was not there the less often: a made-up hash must not keep the nodes busy. */
export function secondsToNextLook(since: string, now: Date): number {
  const age = timestampToSeconds(now.toISOString()) - timestampToSeconds(since)
  const share = Math.floor(age / SHARE_OF_AGE)
  return Math.min(LOOK_AGAIN_MAX_SECONDS, Math.max(LOOK_AGAIN_SECONDS, share))
}
