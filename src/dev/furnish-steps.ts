/** What people do with the demo's expenses, over the API. */
import type { DataOf } from '@countersign/client/operation-types.ts'
import { readForApproval, signApproval } from '@countersign/client/sign-approval.ts'
import { addSeconds } from '#platform/clock.ts'
import { StartupError } from '#platform/errors.ts'
import { TOKEN_DECIMALS } from '#platform/token.ts'
import { type DemoFile, must, until } from './demo-client.ts'
import { makeInvoice } from './demo-invoice.ts'
import { makeReceiptImage } from './furnish-files.ts'
import { type House, type Resident, residentOf } from './furnish-house.ts'
import type { PlannedExpense } from './furnish-paid.ts'
import { late, recipients } from './furnish-people.ts'
import { nowIn } from './furnish-surroundings.ts'

export type FiledExpense = { plan: PlannedExpense; id: string; version: number }

type ExpenseState = DataOf<'getExpense'>['state']

const DAY_SECONDS = 86_400
const labels = { ...recipients, ...late }

const baseUnitsOf = (amount: string): string => {
  const [whole = '0', decimals = ''] = amount.split('.')
  return String(BigInt(`${whole}${decimals.padEnd(TOKEN_DECIMALS, '0')}`))
}

const dayAfter = (house: House, days: number): string =>
  addSeconds(nowIn(house), days * DAY_SECONDS)
    .toISOString()
    .slice(0, 10)

/** Such as MP-2609-014: the supplier's initials, the month, and a number. */
function referenceOf(house: House, { to }: PlannedExpense, number: number): string {
  const initials = labels[to]
    .split(' ')
    .map((word) => word.charAt(0).toUpperCase())
    .join('')
    .slice(0, 2)
  const month = dayAfter(house, 0).slice(2, 7).replace('-', '')
  return `${initials}-${month}-${String(number).padStart(3, '0')}`
}

function fileOf(plan: PlannedExpense, reference: string): DemoFile | undefined {
  if (plan.receipt === 'none') return undefined
  if (plan.receipt === 'png') return makeReceiptImage(reference)
  return makeInvoice(reference, labels[plan.to], plan.what, `Total: ${plan.amount} USDC`)
}

async function attach({ path }: House, by: Resident, file: DemoFile): Promise<string> {
  const { id } = must(
    await by.person.client.call('uploadAttachment', {
      path,
      headers: { 'content-disposition': `attachment; filename=${file.name}` },
      contentType: file.mediaType,
      body: file.bytes,
    }),
  )
  return id
}

async function termsOf(house: House, plan: PlannedExpense, number: number) {
  const { by, to, vault = 'main', what, amount, category, due, end } = plan
  const reference = referenceOf(house, plan, number)
  const file = fileOf(plan, reference)
  const isAutomatic = end.state === 'paid' && end.mode === 'automatic'
  return {
    vaultId: house.vaultIds[vault],
    recipientId: house.recipientIds[to],
    purpose: what,
    amountBaseUnits: baseUnitsOf(amount),
    requestedMode: isAutomatic ? ('automatic' as const) : ('approved' as const),
    category,
    reference,
    dueDate: due === undefined ? null : dayAfter(house, due),
    attachmentIds: file ? [await attach(house, residentOf(house, by), file)] : [],
  }
}

const submit = async (house: House, { plan, id, version }: FiledExpense): Promise<void> => {
  const { client } = residentOf(house, plan.by).person
  const body = { expectedVersion: version }
  must(await client.call('submitExpense', { path: { ...house.path, expenseId: id }, body }))
}

export async function file(
  house: House,
  plan: PlannedExpense,
  number: number,
): Promise<FiledExpense> {
  const { client } = residentOf(house, plan.by).person
  const { path } = house
  const body = await termsOf(house, plan, number)
  const made = must(await client.call('createExpense', { path, body }))
  const filed = { plan, id: made.id, version: made.currentRevision }
  if (plan.end.state === 'cancelled') {
    const own = { ...path, expenseId: filed.id }
    must(await client.call('cancelExpense', { path: own, body: { expectedVersion: 1 } }))
  } else if (plan.end.state !== 'draft') await submit(house, filed)
  return filed
}

export async function comment(house: House, { plan, id }: FiledExpense): Promise<void> {
  for (const { by, body } of plan.remarks ?? []) {
    const { client } = residentOf(house, by).person
    const path = { ...house.path, expenseId: id }
    must(await client.call('commentOnExpense', { path, body: { body } }))
  }
}

/** Polls as a manager's list does, until no expense is in one of these states. */
export const untilNone = (house: House, states: readonly ExpenseState[], what: string) =>
  until(
    () => residentOf(house, 'Ana Ruiz').person.client.call('countExpenses', { path: house.path }),
    ({ counts }) => states.every((state) => (counts[state] ?? 0) === 0),
    what,
  )

export async function stateOf(house: House, { id }: FiledExpense): Promise<ExpenseState> {
  const path = { ...house.path, expenseId: id }
  return must(await residentOf(house, 'Ana Ruiz').person.client.call('getExpense', { path })).state
}

export async function review(
  house: House,
  { id, version }: FiledExpense,
  {
    by,
    action,
    reason,
  }: {
    by: Resident
    action: 'advance_to_approval' | 'request_revision' | 'reject'
    reason: string
  },
): Promise<void> {
  const body = { expectedVersion: version, action, reason }
  const path = { ...house.path, expenseId: id }
  must(await by.person.client.call('reviewExpense', { path, body }))
}

/** The employee corrects the amount by the night that was one too many. */
export async function revise(
  house: House,
  filed: FiledExpense,
  { answer, number }: { answer: string; number: number },
): Promise<FiledExpense> {
  const plan = { ...filed.plan, amount: '312.00', what: 'Two nights at the supplier audit' }
  const { client } = residentOf(house, plan.by).person
  const path = { ...house.path, expenseId: filed.id }
  const terms = await termsOf(house, plan, number)
  const body = { ...terms, expectedVersion: filed.version, reason: answer }
  const { currentRevision } = must(await client.call('reviseExpense', { path, body }))
  const revised = { ...filed, plan, version: currentRevision }
  await submit(house, revised)
  await until(
    () => client.call('getExpense', { path }),
    ({ state }) => state === 'needs_review',
    'the second analysis',
  )
  return revised
}

/** These stay as they are for as long as their signature is valid. */
const isKept = ({ end: { state } }: PlannedExpense): boolean =>
  state === 'blocked' || state === 'partly_signed'

/** Returns how many more approvers must sign. */
export async function sign(
  house: House,
  { id, plan }: FiledExpense,
  by: Resident,
): Promise<number> {
  const { wallet, person } = by
  if (!wallet) throw new Error(`${by.name} has no wallet.`)
  const signed = await signApproval(person.client, {
    shown: must(await readForApproval(person.client, { ...house.path, expenseId: id })),
    approverAddress: wallet.address,
    ...(isKept(plan) && { deadlineSeconds: 7 * DAY_SECONDS }),
    sign: (typedData) => wallet.sign(typedData),
  })
  if (!signed.ok) {
    const why = signed.reason === 'failed' ? signed.failure.message : signed.reason
    throw new StartupError(`An approval of the demo failed: ${why}`)
  }
  const { requiredApprovals, signedApprovals } = signed.payment
  return requiredApprovals - signedApprovals
}
