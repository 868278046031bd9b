/**
 * Why an expense is blocked, and the way out, for every `blockCode` of docs/PAYMENTS.md. A test holds
 * the table to the service's.
 */
import { msg } from '@lingui/core/macro'
import { type BlockWords, LOOK, POLICY, SIGN_AGAIN } from './block-words.ts'
import { VAULT_REFUSALS } from './vault-refusals.ts'

const INCIDENT = msg`Records were changed outside the service. Contact support, and have it investigated. Only a new revision can be paid.`
const RELEASE = msg`When the cause is gone, release the payment again.`

export const BLOCK_CODES: Readonly<Record<string, BlockWords>> = {
  analysis_failed: {
    why: msg`The analysis failed three times.`,
    remedy: msg`Send it for review again.`,
    ways: ['submit'],
  },

  approval_expired: {
    why: msg`The signature expired before the payment was sent.`,
    remedy: SIGN_AGAIN,
    ways: ['sign_again'],
  },
  approval_invalidated: {
    why: msg`The signature was invalidated on the chain.`,
    remedy: SIGN_AGAIN,
    ways: ['sign_again'],
  },
  approval_superseded: {
    why: msg`The policy or the expense changed after the signature.`,
    remedy: SIGN_AGAIN,
    ways: ['sign_again'],
  },
  approval_cancelled: {
    why: msg`The approver took the signature back.`,
    remedy: SIGN_AGAIN,
    ways: ['sign_again'],
  },
  approval_prepared: {
    why: msg`The approval was never signed, though the payment names it.`,
    remedy: SIGN_AGAIN,
    ways: ['sign_again', 'support'],
  },
  approval_consumed: {
    why: msg`The signature has already been used to pay, though this payment is not confirmed.`,
    remedy: msg`Look for the payment on the chain again.`,
    ways: ['reconcile', 'support'],
  },
  approver_revoked: {
    why: msg`The person who signed is no longer an approver.`,
    remedy: SIGN_AGAIN,
    ways: ['sign_again'],
  },

  recipient_deactivated: {
    why: msg`The recipient was deactivated before the payment was sent.`,
    remedy: msg`Revise the expense and choose an active recipient.`,
    ways: ['revise'],
  },
  vault_archived: {
    why: msg`The vault was archived before the payment was sent.`,
    remedy: msg`Revise the expense and choose another vault.`,
    ways: ['revise'],
  },
  vault_unverified: {
    why: msg`The vault is no longer verified.`,
    remedy: msg`An owner has the vault verified. Then release the payment again.`,
    ways: ['policy', 'release'],
  },
  executor_mismatch: {
    why: msg`The policy names another executor.`,
    remedy: POLICY,
    ways: ['policy', 'release'],
  },
  executor_not_ready: {
    why: msg`The organization has no active executor.`,
    remedy: msg`An owner sets up the executor in the treasury. Then release the payment again.`,
    ways: ['policy', 'release'],
  },
  policy_missing: {
    why: msg`The vault has no policy.`,
    remedy: POLICY,
    ways: ['policy', 'release'],
  },
  policy_violation: {
    why: msg`The payment no longer fits the policy.`,
    remedy: POLICY,
    ways: ['policy', 'release'],
  },
  insufficient_funds: {
    why: msg`There is not enough money in the vault after its reserve and what is already committed.`,
    remedy: msg`Deposit money. Then release the payment again.`,
    ways: ['deposit', 'release'],
  },

  evidence_mismatch: {
    why: msg`The records no longer match what was approved.`,
    remedy: INCIDENT,
    ways: ['support', 'revise'],
  },
  report_not_authentic: {
    why: msg`The report was not written by the service.`,
    remedy: INCIDENT,
    ways: ['support', 'revise'],
  },
  authorization_not_authentic: {
    why: msg`The automatic payment was not authorised by the service.`,
    remedy: INCIDENT,
    ways: ['support', 'revise'],
  },
  signature_not_authentic: {
    why: msg`The stored signature is not that of the approver.`,
    remedy: INCIDENT,
    ways: ['support', 'revise'],
  },

  nodes_disagree: {
    why: msg`Two nodes of the chain disagree about a final block.`,
    remedy: msg`Support finds out which one is wrong. Then look again.`,
    ways: ['reconcile', 'support'],
  },
  nonce_used_elsewhere: {
    why: msg`The executor's key signed another transaction in place of this one. Someone else may have the key.`,
    remedy: msg`An owner pauses the policy and contacts support. Releasing the payment confirms that you know, and ends it.`,
    ways: ['policy', 'support', 'release'],
  },
  execution_mismatch: {
    why: msg`The vault executed this payment with other terms.`,
    remedy: LOOK,
    ways: ['support'],
  },
  execution_unexplained: {
    why: msg`The vault executed this payment, and no transaction of the service explains it.`,
    remedy: LOOK,
    ways: ['support'],
  },
  execution_not_found: {
    why: msg`The payment was looked for on the chain for an hour and not found.`,
    remedy: msg`Look again. If you are sure that it is lost, release it again or revise the expense.`,
    ways: ['reconcile', 'release', 'revise', 'support'],
  },
  paid_by_another_vault: {
    why: msg`Another vault has already paid this expense.`,
    remedy: msg`Reject the expense: it is paid.`,
    ways: ['reject', 'support'],
  },

  provider_denied: {
    why: msg`A rule of the wallet provider denied the transaction. Nothing was paid.`,
    remedy: RELEASE,
    ways: ['support', 'release'],
  },
  provider_refused: {
    why: msg`The wallet provider refused the request. Nothing was paid.`,
    remedy: RELEASE,
    ways: ['support', 'release'],
  },
  provider_failed: {
    why: msg`The wallet provider gave up. Nothing was paid.`,
    remedy: RELEASE,
    ways: ['release', 'sign_again', 'support'],
  },
  provider_cancelled: {
    why: msg`The wallet provider cancelled the transaction. Nothing was paid.`,
    remedy: RELEASE,
    ways: ['release', 'sign_again', 'support'],
  },
  transaction_reverted: {
    why: msg`The chain refused the transaction. Nothing was paid.`,
    remedy: RELEASE,
    ways: ['release', 'sign_again', 'support'],
  },

  ...VAULT_REFUSALS,
}

/** A newer service may know codes that this version does not. */
const UNKNOWN: BlockWords = {
  why: msg`The payment cannot continue.`,
  remedy: msg`Contact support and quote the code.`,
  ways: ['support'],
}

export const blockWords = (code: string | null): BlockWords =>
  (code !== null && Object.hasOwn(BLOCK_CODES, code) ? BLOCK_CODES[code] : undefined) ?? UNKNOWN
