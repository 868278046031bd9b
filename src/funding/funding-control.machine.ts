import type { Machine } from '#platform/machine.ts'

/** A difference that is read back leaves it attached: the owner mends the policy, asks again. */
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
