import type { Machine } from '#platform/machine.ts'

/** A differing read-back leaves it `attached`: the owner corrects the policy and repeats. */
const moves = {
  pending: { attach: 'attached', revoke: 'revoked', fail: 'failed' },
  attached: { attach: 'attached', verify: 'verified', revoke: 'revoked', fail: 'failed' },
  verified: { verify: 'verified', revoke: 'revoked', fail: 'failed' },
  revoked: { fail: 'failed' },
  failed: {},
} as const

export type ControlState = keyof typeof moves
export type ControlEvent = 'attach' | 'verify' | 'revoke' | 'fail'
export const fundingControlMachine: Machine<ControlState, ControlEvent> = {
  name: 'funding control',
  moves,
}
