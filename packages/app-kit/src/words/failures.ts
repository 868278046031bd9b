/** What each failure says to a person: what is wrong and what to do. */
import type { ErrorCode, Failure } from '@countersign/client/errors.ts'
import { useNow } from '@countersign/ui/moment.tsx'
import { useRegion } from '@countersign/ui/use-region.ts'
import { utcText } from '@countersign/ui/utc-moment.tsx'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { possibleFromOf } from './possible-from.ts'

/** Not of the service's table. */
type OurCode = 'account_changed' | 'network' | 'timeout' | 'unexpected_response'

const TEXTS: Record<ErrorCode | OurCode, MessageDescriptor> = {
  network: msg`The service cannot be reached. Check your connection, then try again.`,
  timeout: msg`The service took too long to answer. Try again.`,
  unexpected_response: msg`The reply did not come from the service. Check your connection, then try again.`,
  internal: msg`Something went wrong on our side. Try again, and contact support if it keeps happening.`,
  rate_limited: msg`Too many requests in a short time. Wait a moment, then try again.`,
  dependency_unavailable: msg`A part of the service is not available right now. Try again in a moment.`,
  unauthenticated: msg`Your session has ended. Copy what you have typed, then sign in again.`,
  session_required: msg`Your session has ended. Copy what you have typed, then sign in again.`,
  account_changed: msg`This browser is now signed in as someone else. Reload the page to continue.`,
  version_conflict: msg`Someone changed this in the meantime. Look at the new version before you continue.`,
  forbidden: msg`You are not allowed to do this here. An owner of the organization can change your role.`,
  not_found: msg`This does not exist, or you are not allowed to see it.`,
  validation_failed: msg`The service did not accept something you entered. Correct it and try again.`,
  malformed_json: msg`The page sent something the service cannot read. Reload it and try again.`,
  idempotency_key_required: msg`The page sent something the service cannot read. Reload it and try again.`,
  idempotency_key_reused: msg`The page repeated an earlier request. Reload it and try again.`,
  idempotency_in_progress: msg`The same request is still being carried out. Wait a moment, then try again.`,
  unsupported_chain: msg`This service does not serve that chain.`,
  invalid_transition: msg`This is not possible in the current state. Reload to see what changed.`,
  state_conflict: msg`This is not possible in the current state. Reload to see what changed.`,
  account_disabled: msg`Your account is disabled. Contact support.`,
  role_required: msg`Your role does not allow this. An owner of the organization can change it.`,
  realm_mismatch: msg`You are signed in to the other application. Sign in to this one.`,
  operator_required: msg`Only operators of the service may do this.`,
  approver_wallet_required: msg`Only the holder of an approver wallet may do this. An owner of the organization assigns that role.`,
  self_approval: msg`You submitted this expense, or it pays a wallet of yours. Another approver must sign it.`,
  self_review: msg`You submitted this expense, or it pays a wallet of yours. Another owner or manager must review it.`,
  non_production_only: msg`This is only possible outside production.`,
  fresh_authentication_required: msg`Confirm who you are again, then repeat this.`,
  duplicate: msg`This exists already. Use the existing one.`,
  wallet_conflict: msg`This wallet is linked to another account. Sign in with that account, or use another wallet.`,
  transaction_mismatch: msg`This is not the transaction that was prepared. Enter the hash of the right one.`,
  transaction_failed: msg`The chain rejected this transaction. Find out why, then send a new one.`,
  vault_unverified: msg`This vault is not verified yet. Wait until it is, or choose another one.`,
  vault_archived: msg`This vault is archived. Choose another one.`,
  treasury_owner_required: msg`Make one of your own wallets a treasury owner first. A server wallet cannot own a vault.`,
  executor_not_ready: msg`The organization needs an executor first. Get one in the treasury, and wait until it is active.`,
  policy_missing: msg`The vault has no policy yet. A treasury owner sets one first.`,
  policy_violation: msg`The policy does not allow this. Change the expense or the policy.`,
  insufficient_funds: msg`The vault has too little for this after its reserve and what is about to be paid. Deposit first, or lower the amount.`,
  approval_expired: msg`The time to sign has passed. Start signing again.`,
  invalid_signature: msg`This is not the signature of the approver's wallet. Sign again with the right one.`,
  report_missing: msg`The analysis is not finished yet. Wait a moment, then try again.`,
  invitation_unusable: msg`This invitation cannot be used. If it was sent to an e-mail address, sign in with the account that has that address; otherwise ask for a new one.`,
  export_unusable: msg`This export cannot be completed any more. Start a new one.`,
  signer_not_ready: msg`The funding signer is not ready. Its page says what it needs.`,
  payload_too_large: msg`This is too large. Send something smaller.`,
  unsupported_media_type: msg`This type of file is not accepted. Choose another one.`,
}

/** The service's own sentence, which is English, says more than the code: which field, which limit. */
const SPECIFIC: readonly string[] = [
  'duplicate',
  'insufficient_funds',
  'invalid_transition',
  'payload_too_large',
  'policy_violation',
  'self_approval',
  'self_review',
  'signer_not_ready',
  'state_conflict',
  'transaction_mismatch',
  'treasury_owner_required',
  'unsupported_chain',
  'unsupported_media_type',
  'validation_failed',
  'wallet_conflict',
] satisfies ErrorCode[]

const isKnown = (code: string): code is keyof typeof TEXTS => Object.hasOwn(TEXTS, code)

export type FailureWords = {
  text: string
  /** In English, where the reader has another language and the text leaves something out. */
  detail: string | null
}

type Refusal = Pick<Failure, 'code' | 'message'>

export function failureWords(
  { code, message }: Refusal,
  i18n: { locale: string; _(text: MessageDescriptor): string },
): FailureWords {
  if (!isKnown(code)) return { text: message, detail: null }
  const text = i18n._(TEXTS[code])
  if (!SPECIFIC.includes(code)) return { text, detail: null }
  return i18n.locale === 'en' ? { text: message, detail: null } : { text, detail: message }
}

export function useFailureWords(failure: Failure): FailureWords {
  const { i18n, t } = useLingui()
  const region = useRegion()
  const now = useNow()
  const from = possibleFromOf(failure)
  if (from) {
    const text = t`The vault has paid out what the policy allows for this period. Possible again ${utcText(new Date(from), now, region)}.`
    return { text, detail: null }
  }
  return failureWords(failure, i18n)
}
