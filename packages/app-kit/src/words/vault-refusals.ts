/** Block codes that are refusals of the vault itself, in the contract's order. */
import { msg } from '@lingui/core/macro'
import { type BlockWords, LOOK, POLICY, SIGN_AGAIN } from './block-words.ts'

export const VAULT_REFUSALS: Readonly<Record<string, BlockWords>> = {
  payment_already_executed: {
    why: msg`The vault says that it has made this payment. The proof is being looked for.`,
    remedy: msg`Wait a moment, or look again.`,
    ways: ['reconcile'],
  },
  not_executor: {
    why: msg`The vault's policy names another executor.`,
    remedy: POLICY,
    ways: ['policy', 'release'],
  },
  version_mismatch: {
    why: msg`The vault has another version of the policy than the one that was signed.`,
    remedy: SIGN_AGAIN,
    ways: ['sign_again'],
  },
  policy_paused: {
    why: msg`The policy is paused.`,
    remedy: msg`An owner ends the pause. Then release the payment again.`,
    ways: ['policy', 'release'],
  },
  policy_expired: {
    why: msg`The policy has expired.`,
    remedy: POLICY,
    ways: ['policy', 'release'],
  },
  deadline_passed: {
    why: msg`The time to send the payment has passed.`,
    remedy: msg`Release an automatic payment again. One that was signed needs a new signature.`,
    ways: ['release', 'sign_again'],
  },
  automatic_disabled: {
    why: msg`The policy allows no automatic payments.`,
    remedy: POLICY,
    ways: ['policy', 'release'],
  },
  zero_amount: {
    why: msg`The amount is zero.`,
    remedy: msg`Revise the expense and enter an amount.`,
    ways: ['revise'],
  },
  cap_exceeded: {
    why: msg`The amount is above what the policy allows for one payment.`,
    remedy: POLICY,
    ways: ['policy', 'release', 'revise'],
  },
  lifetime_cap_exceeded: {
    why: msg`The amount is above what is left of the policy's total.`,
    remedy: POLICY,
    ways: ['policy', 'release', 'revise'],
  },
  period_cap_exceeded: {
    why: msg`The amount is above what is left of the policy's cap for this period.`,
    remedy: msg`Release the payment again in the next period, or an owner changes the policy.`,
    ways: ['release', 'policy', 'revise'],
  },
  reserve_breached: {
    why: msg`The payment would leave less than the reserve in the vault.`,
    remedy: msg`Deposit money, or an owner lowers the reserve. Then release the payment again.`,
    ways: ['deposit', 'policy', 'release'],
  },
  recipient_not_allowed: {
    why: msg`The vault does not list the recipient, or pays it only later.`,
    remedy: msg`An owner adds the recipient, or you wait until it can be paid. Then release the payment again.`,
    ways: ['policy', 'release'],
  },
  recipient_is_blocked: {
    why: msg`The recipient was blocked on the chain by the owner or an approver.`,
    remedy: msg`The owner lifts the block. Then release the payment again.`,
    ways: ['policy', 'release', 'revise'],
  },
  recipient_has_role: {
    why: msg`The recipient is the executor or an approver, and a vault pays neither.`,
    remedy: msg`Revise the expense and choose another recipient, or an owner changes the policy.`,
    ways: ['revise', 'policy'],
  },
  approval_count_mismatch: {
    why: msg`The policy asks for another number of signatures than the payment has.`,
    remedy: SIGN_AGAIN,
    ways: ['sign_again'],
  },
  approvers_not_ascending: {
    why: msg`The signatures are not in the order that the vault takes.`,
    remedy: LOOK,
    ways: ['support'],
  },
  approver_not_allowed: {
    why: msg`The policy does not list the person who signed.`,
    remedy: msg`Another approver signs, or an owner changes the policy.`,
    ways: ['sign_again', 'policy'],
  },
  approval_is_invalidated: {
    why: msg`The signature was invalidated in the vault.`,
    remedy: SIGN_AGAIN,
    ways: ['sign_again'],
  },
  invalid_signature: {
    why: msg`The vault refuses the signature.`,
    remedy: SIGN_AGAIN,
    ways: ['sign_again'],
  },
  unexpected_token_delta: {
    why: msg`The token moved another amount than the payment names.`,
    remedy: msg`Have the token contract checked. Then release the payment again.`,
    ways: ['support', 'release'],
  },
  token_refused: {
    why: msg`The token refused the transfer.`,
    remedy: msg`Have the token contract and the recipient checked. Then release the payment again.`,
    ways: ['support', 'release', 'revise'],
  },
  reverted: {
    why: msg`The vault refused the payment without a reason.`,
    remedy: LOOK,
    ways: ['support', 'release'],
  },
}
