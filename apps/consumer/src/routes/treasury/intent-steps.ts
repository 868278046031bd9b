/** Where a prepared transaction stands (docs/STATES.md, chain intent), and what a person can do. */
import type { ItemOf } from '@countersign/client/operation-types.ts'

type Intent = Pick<ItemOf<'listPolicyIntents'>, 'state' | 'failureCode' | 'transactionHash'> & {
  /** When a policy that waits can come into force. */
  activatesAt?: string | null
}

type StepWhen = 'past' | 'now' | 'next' | 'failed'
export type IntentSteps = { prepared: StepWhen; submitted: StepWhen; confirmed: StepWhen }

/**
 * `sign`: it waits for the owner's wallet. `resume`: the wallet has sent it, but the service was not
 * told. `wait`: it waits for the chain. `proposed`: the chain has it, and it comes into force later.
 * `lost`: no node knows it. `another_hash`: the wallet may have replaced it. `prepare_again`: it is
 * over.
 */
export type IntentNext =
  | 'sign'
  | 'resume'
  | 'wait'
  | 'proposed'
  | 'lost'
  | 'another_hash'
  | 'prepare_again'
  | 'done'

export function stepsOf({ state }: Intent): IntentSteps {
  switch (state) {
    case 'prepared':
      return { prepared: 'past', submitted: 'now', confirmed: 'next' }
    case 'submitted':
    case 'reconciling':
      return { prepared: 'past', submitted: 'past', confirmed: 'now' }
    case 'confirmed':
      return { prepared: 'past', submitted: 'past', confirmed: 'past' }
    case 'rejected':
    case 'failed':
      return { prepared: 'past', submitted: 'past', confirmed: 'failed' }
  }
}

/** It is on the chain, and the vault's delay has to pass. */
const isProposed = ({ state, activatesAt }: Intent): boolean =>
  state === 'submitted' && Boolean(activatesAt)

export function nextOf(intent: Intent, keptHash: string | null): IntentNext {
  const { state, failureCode } = intent
  switch (state) {
    case 'prepared':
      return keptHash === null ? 'sign' : 'resume'
    case 'submitted':
      return isProposed(intent) ? 'proposed' : 'wait'
    case 'reconciling':
      return 'lost'
    case 'confirmed':
      return 'done'
    case 'rejected':
      return 'prepare_again'
    case 'failed':
      return failureCode === 'transaction_not_found' ? 'another_hash' : 'prepare_again'
  }
}

/** Still worth a place on top of the page. */
export const isOpen = (intent: Intent): boolean =>
  (['submitted', 'reconciling'].includes(intent.state) && !isProposed(intent)) ||
  (intent.state === 'failed' && intent.failureCode === 'transaction_not_found')

/**
 * The one on top of the page: what this browser works on, otherwise one that is still open. A failed
 * one that was put aside comes back only if another hash brings it back to life.
 */
export const currentOf = <One extends Intent & { id: string }>(
  rows: readonly One[],
  { keptId, dismissed }: { keptId: string | undefined; dismissed: readonly string[] },
): One | undefined =>
  rows.find(({ id }) => id === keptId) ??
  rows.find((row) => isOpen(row) && !(row.state === 'failed' && dismissed.includes(row.id)))

const HASH = /^0x[0-9a-f]{64}$/i

export const isTransactionHash = (text: string): text is `0x${string}` => HASH.test(text)

const NEWS_MS = 10 * 60_000

/** A success, or a policy that only has to wait, is worth showing for some minutes; afterwards the page is for the next change. */
export const isOldNews = (intent: Intent & { updatedAt: string }, now: Date): boolean =>
  (intent.state === 'confirmed' || isProposed(intent)) &&
  now.getTime() - Date.parse(intent.updatedAt) > NEWS_MS

type Listed = { state: Intent['state']; createdAt: string; updatedAt: string }

/** Another policy came into force after this one was prepared: the vault would refuse it. */
export const isOvertaken = (intent: Listed, all: readonly Listed[]): boolean =>
  intent.state === 'prepared' &&
  all.some(
    ({ state, updatedAt }) =>
      state === 'confirmed' && Date.parse(updatedAt) > Date.parse(intent.createdAt),
  )
