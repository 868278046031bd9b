/** The statements that were checked, in words. */
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { CheckId } from './checks.ts'

export const CHECK_WORDS: Record<CheckId, MessageDescriptor> = {
  recipient: msg`The recipient is the one of the expense, and the policy lists it`,
  amount: msg`The amount is the one of the expense, and within the policy`,
  place: msg`Vault, token, chain and organization are those shown above`,
  text: msg`The text above hashes to what you sign`,
  report: msg`The analysis hashes to what you sign`,
  signer: msg`Your wallet is the one that approves, and the policy lists it`,
  policy: msg`The policy version is the one shown, and the deadline is within it`,
  digest: msg`The whole digest was computed here and equals the service's`,
  chain_vault: msg`The vault's code is the published one, made for this token and organization`,
  chain_token: msg`The token has the symbol and the decimals that the amount is shown with`,
  chain_policy: msg`The vault's policy is the one shown, and accepts your signature and the amount`,
  chain_recipient: msg`The vault may pay this recipient, and has not paid this expense before`,
  chain_signatures: msg`The vault asks for as many signatures as shown`,
  chain_digest: msg`The vault computes the same digest`,
  other: msg`Everything else that was compared`,
}
