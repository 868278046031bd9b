/**
 * What an operator does about codes that members cannot clear alone. Members read another remedy,
 * that of the block-code table.
 */
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'

const FORGED = msg`Treat it as an incident: someone wrote to the database without the service. Find out who, and replace the database logins. The payment cannot be released again.`
const BY_HAND = msg`Compare the vault's transactions with the attempts of the payment: look each hash up in a block explorer, and see who sent it. Then tell the customer what left the vault.`
const AT_PROVIDER = msg`Open the provider's console, find the transaction by the provider's reference and the error code of the attempt, and repair the cause there. Then the customer releases the payment again.`

export const OPERATOR_REMEDIES: Readonly<Record<string, MessageDescriptor>> = {
  evidence_mismatch: FORGED,
  report_not_authentic: FORGED,
  authorization_not_authentic: FORGED,
  signature_not_authentic: FORGED,
  nodes_disagree: msg`Compare the nodes on the health page, take the wrong one out of RPC_URLS and restart the workers. Then a member has the chain checked again.`,
  nonce_used_elsewhere: msg`Someone else may have the executor's key. Have an owner pause the policy now. Then find out who sent the transaction with this nonce, and have the executor replaced.`,
  approvers_not_ascending: msg`The service put the signatures into the wrong order, and nothing left the vault. Report it to the developers with the payment's id.`,
  execution_mismatch: BY_HAND,
  execution_unexplained: BY_HAND,
  reverted: BY_HAND,
  provider_denied: AT_PROVIDER,
  provider_refused: AT_PROVIDER,
  unexpected_token_delta: msg`Check the token contract: it moved a different amount than it was told to. Do not let the payment be released before you know why.`,
  token_refused: msg`Check whether the token contract is paused, or blocks the vault or the recipient. Then the customer releases the payment again.`,
}
