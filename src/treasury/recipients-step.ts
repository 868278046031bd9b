/** What one transaction changes in a vault's list of recipients. Pure. */
import { checksummed } from '@countersign/proof/values.ts'
import { AppError } from '#platform/errors.ts'
import { listChange } from './policy-changes.ts'

/** The contract takes no more changes in one transaction. */
export const RECIPIENT_CHANGES_MAX = 500

export type RecipientsStep = {
  added: string[]
  removed: string[]
  /** The whole list after the transaction. */
  after: string[]
  /** Changes that did not fit: prepare again after this one. */
  remaining: number
}

/** Removals come first: who may no longer be paid must not wait for who may. */
export function recipientsStep(
  standings: readonly { address: string; allowedFrom: string | null }[],
  wanted: readonly string[],
): RecipientsStep {
  const listed = standings.filter(({ allowedFrom }) => allowedFrom !== null)
  const before = listed.map(({ address }) => address)
  const change = listChange(before, wanted)
  const removed = change.removed.slice(0, RECIPIENT_CHANGES_MAX)
  const added = change.added.slice(0, RECIPIENT_CHANGES_MAX - removed.length)
  const gone = new Set(removed)
  return {
    added,
    removed,
    after: [...before.filter((address) => !gone.has(address)), ...added],
    remaining: change.removed.length + change.added.length - removed.length - added.length,
  }
}

/**
 * With a change delay the policy of the same transaction only waits, so the contract compares new
 * recipients with the executor and the approvers that are still in force.
 */
export function requireAddable(
  { added }: RecipientsStep,
  {
    vault,
    inForce,
  }: {
    vault: { changeDelaySeconds: number }
    inForce: { executorAddress: string; approverAddresses: string[] } | undefined
  },
): void {
  if (vault.changeDelaySeconds === 0 || !inForce) return
  const roles = [inForce.executorAddress, ...inForce.approverAddresses]
  const refused = added.find((address) => roles.includes(address))
  if (refused === undefined) return
  throw new AppError('policy_violation', {
    message:
      `${checksummed(refused)} still is the executor or an approver of the policy in force. Add ` +
      'it as a recipient once the next policy counts.',
  })
}
