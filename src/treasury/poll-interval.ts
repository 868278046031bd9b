/** Poll intervals for transactions that are not on chain yet. Pure. */
import { timestampToSeconds } from '@countersign/proof/values.ts'

export const LOOK_AGAIN_SECONDS = 5
const LOOK_AGAIN_MAX_SECONDS = 300
const SHARE_OF_AGE = 20

/** The interval grows with age, so that a made-up hash does not load the nodes. */
export function secondsToNextPoll(since: string, now: Date): number {
  const age = timestampToSeconds(now.toISOString()) - timestampToSeconds(since)
  const share = Math.floor(age / SHARE_OF_AGE)
  return Math.min(LOOK_AGAIN_MAX_SECONDS, Math.max(LOOK_AGAIN_SECONDS, share))
}
