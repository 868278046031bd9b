/**
 * Why a payment or an expense is blocked, or a payment has failed: every value of `blockCode`, what
 * it means and what to do. docs/PAYMENTS.md shows this table; a test compares the two.
 */

type BlockCodeRow = { meaning: string; remedy: string }

const SIGN_AGAIN = 'Sign a new approval.'
const RELEASE_AGAIN = 'Change the policy, then release the payment again.'
const INCIDENT =
  'Treat it as an incident: find out who wrote the rows. The payment cannot be released again; ' +
  'a new revision can be paid.'
const INSPECT = 'Inspect the vault and its transactions by hand.'

const table = {
  analysis_failed: {
    meaning: 'The analysis failed three times.',
    remedy: 'Submit the expense again.',
  },

  approval_expired: { meaning: 'The approval expired before it was sent.', remedy: SIGN_AGAIN },
  approval_invalidated: {
    meaning: 'The approval was invalidated on the chain.',
    remedy: SIGN_AGAIN,
  },
  approval_superseded: {
    meaning: 'The policy, the recipients or the expense changed after the signature.',
    remedy: SIGN_AGAIN,
  },
  approval_cancelled: { meaning: 'The approver cancelled the approval.', remedy: SIGN_AGAIN },
  approval_prepared: {
    meaning: 'The approval has no signature, though the payment names it.',
    remedy: SIGN_AGAIN,
  },
  approval_consumed: {
    meaning: 'The approval has already paid, though this payment is not confirmed.',
    remedy: 'Reconcile the payment.',
  },
  approver_revoked: { meaning: "The approver's wallet role was revoked.", remedy: SIGN_AGAIN },

  recipient_deactivated: {
    meaning: 'The recipient was deactivated before the payment was sent.',
    remedy: 'Write a new revision with an active recipient.',
  },
  vault_archived: {
    meaning: 'The vault was archived before the payment was sent.',
    remedy: 'Write a new revision that pays from another vault.',
  },
  vault_unverified: {
    meaning: 'The vault of an automatic payment is no longer verified.',
    remedy: 'Verify the vault, then release the payment again.',
  },
  executor_mismatch: {
    meaning: 'The policy names another executor.',
    remedy: 'Set a policy that names this executor, then release the payment again.',
  },
  executor_not_ready: {
    meaning: 'The organization has no active executor.',
    remedy: 'Provision the executor, then release the payment again.',
  },
  policy_missing: { meaning: 'The vault has no policy on the chain.', remedy: RELEASE_AGAIN },
  policy_violation: {
    meaning: 'An automatic payment does not fit the policy that followed its release.',
    remedy: RELEASE_AGAIN,
  },
  insufficient_funds: {
    meaning: "The vault's balance minus its reserve and live payments is too low.",
    remedy: 'Deposit, or change the policy; then release the payment again.',
  },

  evidence_mismatch: {
    meaning: 'The rows no longer match what was approved.',
    remedy: INCIDENT,
  },
  report_not_authentic: {
    meaning: "The report's MAC is missing, wrong, or made under a key that is no longer accepted.",
    remedy: `${INCIDENT} If WORKER_SECRET changed more than seven days ago, submit a new revision.`,
  },
  authorization_not_authentic: {
    meaning:
      "The automatic authorization's MAC is missing, wrong, or made under a key that is no " +
      'longer accepted.',
    remedy: `${INCIDENT} If WORKER_SECRET changed more than seven days ago, submit a new revision.`,
  },
  signature_not_authentic: {
    meaning: "The stored signature is not the approver's.",
    remedy: INCIDENT,
  },

  nodes_disagree: {
    meaning: 'Two nodes differ on a block that both call final.',
    remedy: 'Find out which node is wrong, then reconcile.',
  },
  nonce_used_elsewhere: {
    meaning:
      "The executor's key signed something that is not ours with this nonce, so no transaction " +
      'of this payment can be mined any more.',
    remedy:
      'Pause the policy and find out who has the key. Releasing the payment states that a person ' +
      'knows, and fails it.',
  },
  execution_mismatch: {
    meaning: 'The vault executed this payment id with other terms.',
    remedy: INSPECT,
  },
  execution_unexplained: {
    meaning: 'The vault executed this payment id, and no transaction of ours explains it.',
    remedy: INSPECT,
  },
  execution_not_found: {
    meaning:
      'The engine searched for the execution for an hour in vain: nothing was signed here, or no ' +
      'node knows what the provider named.',
    remedy:
      'Release the payment again or write a new revision. With a provider, check there first: ' +
      'releasing states that a person knows, and fails the payment unless the provider still ' +
      'works on it.',
  },
  paid_by_another_vault: {
    meaning: 'After the restore of an old backup: another vault has paid this expense.',
    remedy: 'Reject the expense: it is paid.',
  },

  provider_denied: {
    meaning: 'A rule of the provider denied the transaction; nothing was paid.',
    remedy: "See the attempt's errorCode, repair the rule there, then release the payment again.",
  },
  provider_refused: {
    meaning: 'The provider refused the first request; nothing was paid.',
    remedy: "See the attempt's errorCode, repair the cause there, then release the payment again.",
  },
  provider_failed: {
    meaning: 'Failed payment: the provider gave up, and nothing was paid.',
    remedy: "See the attempt's errorCode, then release the payment again or sign anew.",
  },
  provider_cancelled: {
    meaning: 'Failed payment: the provider cancelled it, and nothing was paid.',
    remedy: "See the attempt's errorCode, then release the payment again or sign anew.",
  },
  transaction_reverted: {
    meaning: 'Failed payment: the transaction was mined and reverted; nothing moved.',
    remedy: 'Repair the cause, then release the payment again or sign anew.',
  },

  // The vault's own errors, in lower case: it refused a simulated call before anything was signed.
  payment_already_executed: {
    meaning: 'The vault says that it has executed this payment; the engine searches for the proof.',
    remedy: 'Wait, or reconcile.',
  },
  not_executor: {
    meaning: "The vault refuses the caller: its policy names another executor's address.",
    remedy: 'Set a policy that names this executor, then release the payment again.',
  },
  version_mismatch: { meaning: "The vault's policy has another version.", remedy: SIGN_AGAIN },
  policy_paused: {
    meaning: "The vault's policy is paused.",
    remedy: 'Unpause the policy, then release the payment again.',
  },
  policy_expired: { meaning: "The vault's policy has expired.", remedy: RELEASE_AGAIN },
  deadline_passed: {
    meaning: "The payment's deadline passed before it was sent; automatic payments have a day.",
    remedy: 'Release an automatic payment again; sign a new approval otherwise.',
  },
  automatic_disabled: {
    meaning: 'The policy allows no automatic payments.',
    remedy: RELEASE_AGAIN,
  },
  zero_amount: {
    meaning: 'The amount is zero.',
    remedy: 'Write a new revision with an amount.',
  },
  cap_exceeded: {
    meaning: "The amount exceeds the policy's cap for one payment.",
    remedy: RELEASE_AGAIN,
  },
  lifetime_cap_exceeded: {
    meaning: "The amount exceeds what is left of the policy's lifetime cap.",
    remedy: RELEASE_AGAIN,
  },
  period_cap_exceeded: {
    meaning: "The amount exceeds what is left of the policy's cap for the period.",
    remedy: 'Release the payment again in the next period, or change the policy.',
  },
  reserve_breached: {
    meaning: 'The payment would leave less than the reserve in the vault.',
    remedy: 'Deposit, or lower the reserve; then release the payment again.',
  },
  recipient_not_allowed: {
    meaning: "The vault's list lacks the recipient, or allows it only later.",
    remedy: 'Add the recipient, or wait until it can be paid; then release the payment again.',
  },
  recipient_is_blocked: {
    meaning: 'The owner or an approver has blocked the recipient on the chain.',
    remedy: 'Have the owner unblock the recipient, then release the payment again.',
  },
  recipient_has_role: {
    meaning: 'The recipient is the executor or an approver of the policy in force.',
    remedy: 'Pay another address, or change the policy.',
  },
  approval_count_mismatch: {
    meaning: 'The policy asks for a different number of signatures than the payment has.',
    remedy: SIGN_AGAIN,
  },
  approvers_not_ascending: {
    meaning: 'The signatures of the payment are not in the order that the vault expects.',
    remedy: INSPECT,
  },
  approver_not_allowed: {
    meaning: 'The policy in force does not list the approver.',
    remedy: 'Have another approver sign, or change the policy.',
  },
  approval_is_invalidated: {
    meaning: 'The vault holds an invalidation of this approval.',
    remedy: SIGN_AGAIN,
  },
  invalid_signature: {
    meaning: "The vault refuses the approver's signature.",
    remedy: SIGN_AGAIN,
  },
  unexpected_token_delta: {
    meaning: 'The token moved another amount than the payment names.',
    remedy: 'Check the token contract; then release the payment again.',
  },
  token_refused: {
    meaning: 'The token contract refused the transfer, or said something unreadable.',
    remedy: 'Check the token contract and the recipient; then release the payment again.',
  },
  reverted: {
    meaning: 'The simulated call reverted without a reason.',
    remedy: INSPECT,
  },
} as const satisfies Record<string, BlockCodeRow>

export type BlockCode = keyof typeof table
export const blockCodes: Readonly<Record<BlockCode, BlockCodeRow>> = table

export const isBlockCode = (code: string): code is BlockCode => Object.hasOwn(table, code)
