/** Titles and details of tasks, within the contract's lengths. Pure. */
import { checksummed } from '@countersign/proof/values.ts'
import type { ExpenseState } from '#expenses/expense.machine.ts'
import type { BlockCode } from '#platform/block-codes.ts'
import { TOKEN_DECIMALS, TOKEN_SYMBOL, toDecimal } from '#platform/token.ts'
import type { PolicyChanges } from '#treasury/policy-changes.ts'

export const TITLE_MAX = 240
export const DETAIL_MAX = 500

/** They change the direction of the text that follows, even in other entries of a list. */
const DIRECTION_MARKS = /[\u202a-\u202e\u2066-\u2069]/gu

/** One line of at most `max` code points, without lone surrogates and never empty. */
export function oneLine(text: string, max: number): string {
  const line = text.replace(DIRECTION_MARKS, '').replace(/\s+/gu, ' ').trim()
  if (line === '') return '…'
  // A line has at most as many code points as code units, and nearly all are short.
  if (line.length <= max) return line
  const points = [...line]
  return points.length <= max ? line : `${points.slice(0, max - 1).join('')}…`
}

const words = (code: string): string => code.replaceAll('_', ' ')

const sentences: Record<Exclude<ExpenseState, 'blocked'>, string> = {
  draft: 'A draft. Submit it when it is complete.',
  analysis_queued: 'Waiting for its analysis.',
  analyzing: 'Being analysed.',
  needs_review: 'An owner or manager must review it.',
  revision_requested: 'A reviewer asked for a new revision.',
  awaiting_approval: 'An approver must sign it.',
  approved_ready_for_payment: 'Signed and ready for payment.',
  automatic_ready_for_payment: 'Cleared by the policy and ready for payment.',
  executing: 'Its payment is being sent.',
  reconciling: 'The outcome of its payment is being determined.',
  paid: 'Paid.',
  rejected: 'Rejected.',
  cancelled: 'Cancelled by its submitter.',
}

const inToken = (amount: bigint): string => `${toDecimal(amount, TOKEN_DECIMALS)} ${TOKEN_SYMBOL}`

export type Described = {
  state: ExpenseState
  blockCode: BlockCode | null
  amount: bigint
  recipientLabel: string
  /** Where it awaits approval. */
  requiredApprovals?: number
  signedApprovals?: number
}

/** For those who may see the expense: it names the amount and the recipient. */
export function expenseDetail(expense: Described): string {
  const { state, blockCode, amount, recipientLabel } = expense
  const what = state === 'blocked' ? blocked(blockCode) : sentences[state]
  const detail = `${signed(expense)}${what} ${inToken(amount)} to ${recipientLabel}.`
  return oneLine(detail, DETAIL_MAX)
}

/** How many have signed, where more than one must. */
const signed = ({ requiredApprovals = 1, signedApprovals = 0 }: Described): string =>
  requiredApprovals > 1 ? `${signedApprovals} of ${requiredApprovals} signatures. ` : ''

const blocked = (code: string | null): string => `Blocked: ${words(code ?? 'unknown cause')}.`

export const paymentDetail = (state: string, code: string | null): string =>
  oneLine(
    state === 'reconciling' ? sentences.reconciling : `Its payment is ${state}: ${codeOf(code)}.`,
    DETAIL_MAX,
  )

export const runDetail = (code: string | null): string =>
  oneLine(`Its analysis failed: ${codeOf(code)}.`, DETAIL_MAX)

const codeOf = (code: string | null): string => words(code ?? 'unknown cause')

export const preparationDetail = (deadline: string): string =>
  `You prepared this approval. Sign it by ${deadline}.`

const priorities: Record<number, string> = { 1: 'low', 2: 'medium', 3: 'high' }

export const caseDetail = (state: string, priority: number): string =>
  `Support case ${state}, priority ${priorities[priority] ?? 'medium'}.`

export const unrecordedDetail = ({
  amount,
  recipientLabel,
  recipientAddress,
  transactionHash,
}: {
  amount: bigint
  recipientLabel: string | null
  recipientAddress: string
  transactionHash: string
}): string =>
  oneLine(
    `${inToken(amount)} to ${recipientLabel ?? checksummed(recipientAddress)} in transaction ` +
      `${transactionHash}. Find out who sent it, then acknowledge it.`,
    DETAIL_MAX,
  )

/** Operators see across tenants, so they get the organization but neither purpose nor amount. */
export const forOperators = (detail: string, organizationName: string): string =>
  oneLine(`${detail} Organization: ${organizationName}.`, DETAIL_MAX)

const termNames: Record<Exclude<keyof PolicyChanges, 'recipients'>, string> = {
  approvers: 'approvers',
  executor: 'executor',
  approvedCap: 'cap of an approved payment',
  automaticCap: 'cap of an automatic payment',
  lifetimeCap: 'lifetime cap',
  reserveFloor: 'reserve',
  periodSeconds: 'period',
  periodCap: 'cap of a period',
  automaticPeriodCap: 'automatic cap of a period',
  tiers: 'number of signatures',
  expiresAt: 'expiry',
  automaticEnabled: 'automatic payments',
  paused: 'pause',
}

/** What differs from the policy in force, by name. */
function changedTerms({ recipients: _recipients, approvers, ...values }: PolicyChanges): string {
  const hasOthers = approvers.added.length > 0 || approvers.removed.length > 0
  const names = Object.entries(termNames).flatMap(([key, name]) => {
    if (key === 'approvers') return hasOthers ? [name] : []
    return values[key as keyof typeof values] === null ? [] : [name]
  })
  return names.length > 0 ? names.join(', ') : 'nothing'
}

/** Amounts and addresses are in the detail of the vault. */
export const proposalDetail = ({
  changes,
  activatesAt,
  isPrepared,
}: {
  changes: PolicyChanges
  activatesAt: string
  isPrepared: boolean
}): string =>
  oneLine(
    `${isPrepared ? '' : 'Nobody prepared it here. '}It counts from ${activatesAt} and changes: ` +
      `${changedTerms(changes)}. Veto it if you did not expect it.`,
    DETAIL_MAX,
  )

export const overdueDetail = (code: string): string =>
  oneLine(
    `The service cannot activate it: ${codeOf(code)}. Anybody may send the activation, for ` +
      'example from your wallet; or veto it.',
    DETAIL_MAX,
  )
