/** What is said about a block code, and the remedies that several codes share. */
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'

/**
 * Steps that can free a blocked expense, the likeliest first. `sign_again`: a reviewer lets it go on,
 * then an approver signs.
 */
export type WayOut =
  | 'submit'
  | 'sign_again'
  | 'revise'
  | 'release'
  | 'reconcile'
  | 'reject'
  | 'policy'
  | 'deposit'
  | 'support'

export type BlockWords = {
  why: MessageDescriptor
  remedy: MessageDescriptor
  ways: readonly WayOut[]
}

export const SIGN_AGAIN = msg`A reviewer accepts it again, then an approver signs again.`
export const POLICY = msg`An owner changes the policy. Then release the payment again.`
export const LOOK = msg`A person must look at the vault and its transactions. Contact support.`
