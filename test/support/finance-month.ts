/** A company of fifteen people and what its finance team does in a month, over HTTP. */
import type { Address } from 'viem'
import { expect, vi } from 'vitest'
import { type Answer, joinOrganization, type Person } from './app.ts'
import { pdf, uploaded } from './attachments.ts'
import type { TestWallet } from './chain.ts'
import {
  approve,
  joinApprover,
  openPayingHouse,
  type PayingHouse,
  type ReadExpense,
  readExpense,
  renewPolicy,
  step,
} from './payments.ts'
import { freshKey, membershipOf, outcome, times } from './steps.ts'
import type { Treasury } from './treasury.ts'

export type Colleague = { name: string; person: Person }
export type Approver = Colleague & { wallet: TestWallet }
export type Recipient = { id: string; label: string; address: Address }

export type Company = PayingHouse & {
  ada: Approver
  olu: Colleague
  bea: Approver
  carl: Approver
  dora: Approver
  employees: Colleague[]
  /** As imported. */
  suppliers: Recipient[]
  /** What employees filed, by number. */
  filed: Filed[]
}

export const DEPOSITED = 990_000_000n
const TERMS = {
  approvedCap: '50000000',
  automaticCap: '8000000',
  lifetimeCap: '980000000',
}

export const categories = [
  { code: '6100', name: 'Office supplies' },
  { code: '6300', name: 'Travel' },
  { code: '6800', name: 'Contractors' },
]

const EMPLOYEES = ['Emil', 'Fay', 'Gus', 'Hana', 'Ivo', 'Jun', 'Kaja', 'Liam', 'Mona', 'Nils']

/** Two owners, three finance managers and ten employees; Ada and the managers may sign. */
export async function openCompany(treasury: Treasury): Promise<Company> {
  const house = await openPayingHouse(treasury, { deposited: DEPOSITED, policy: TERMS })
  const { service } = treasury
  const named = async <Who extends { person: Person }>(name: string, who: Who) => {
    const body = { displayName: name }
    const { token } = who.person
    expect(outcome(await service.call('PATCH', '/v1/consumer/me', { token, body }))).toBe('200')
    return { ...who, name }
  }
  const ada = await named('Ada', { person: house.owner, wallet: house.approverWallet })
  const olu = await named('Olu', { person: house.manager })
  expect(outcome(await changeRole(house, olu, 'owner'))).toBe('200')
  const bea = await named('Bea', await joinApprover(house, 'manager'))
  const carl = await named('Carl', await joinApprover(house, 'manager'))
  const dora = await named('Dora', await joinApprover(house, 'manager'))
  const employees: Colleague[] = []
  for (const name of EMPLOYEES) {
    const isFirst = employees.length === 0
    const joined = isFirst
      ? house.employee
      : await joinOrganization(service, house, { role: 'employee' })
    employees.push(await named(name, { person: joined }))
  }
  return { ...house, ada, olu, bea, carl, dora, employees, suppliers: [], filed: [] }
}

/** The owner signs a policy that lists the recipients and approvers of today. */
export const signNewPolicy = (company: Company) => renewPolicy(company, TERMS)

export async function changeRole(
  house: PayingHouse,
  { person }: Colleague,
  role: 'owner' | 'manager' | 'employee',
): Promise<Answer> {
  const { membershipId } = await membershipOf(house.treasury.service, house, person)
  return step(house, `members/${membershipId}/role`, { role })
}

export async function endApproverRole(company: Company, { person }: Colleague): Promise<Answer> {
  const { walletRoles } = await membershipOf(company.treasury.service, company, person)
  return step(company, `wallet-roles/${walletRoles[0]?.id}/revoke`, undefined)
}

export const read = (
  { path, treasury: { service } }: PayingHouse,
  what: string,
  { person }: Colleague,
): Promise<Answer> => service.call('GET', `${path}/${what}`, { token: person.token })

/** The vault as its page shows it: the policy, and how the organization differs from it. */
export const vaultOf = async (company: Company) =>
  (await read(company, `vaults/${company.vault.id}`, company.ada)).body

export type Filed = {
  number: number
  id: string
  amount: bigint
  recipient: Recipient
  by: Colleague
  terms: Record<string, unknown>
}

const SMALL = [
  { what: 'Train ticket to the client in Porto', category: '6300' },
  { what: 'Paper and toner for the second floor', category: '6100' },
  { what: 'Parking at the trade fair', category: '6300' },
]

/** Every amount differs, to the last unit. Three in four are small enough for the policy. */
function termsOf(
  { vault, suppliers }: Company,
  number: number,
): { recipient: Recipient; amount: bigint; terms: Record<string, unknown> } {
  const isSmall = number % 4 !== 3
  const small = SMALL[number % 4] ?? { what: 'Illustrations for the catalogue', category: '6800' }
  const index = isSmall ? number % 8 : 8 + (Math.floor(number / 4) % 4)
  const recipient = suppliers[index] as Recipient
  const amount = isSmall
    ? 4_000_000n + BigInt(number) * 17_321n
    : 21_000_000n + BigInt(number) * 137_913n
  const terms = {
    vaultId: vault.id,
    recipientId: recipient.id,
    purpose: `${small.what}, invoice ${4000 + number}`,
    amountBaseUnits: amount.toString(),
    requestedMode: isSmall ? 'automatic' : 'approved',
    category: small.category,
    reference: `INV-${4000 + number}`,
    dueDate: '2099-01-31',
  }
  return { recipient, amount, terms }
}

export const receiptOf = (number: number): Buffer => pdf(`Receipt ${number}`)

export async function uploadReceipt(
  company: Company,
  { person }: Colleague,
  number: number,
): Promise<string> {
  const disposition = `attachment; filename="receipt-${number}.pdf"`
  const bytes = receiptOf(number)
  return (await uploaded(company.treasury.service, company, { person, bytes, disposition })).id
}

export type Filing = {
  number: number
  by: Colleague
  /** The number of another receipt; null for none. */
  receipt?: number | null
  requestedMode?: 'automatic'
}

async function fileExpense(
  company: Company,
  { number, by, receipt = number, ...more }: Filing,
): Promise<void> {
  const { service } = company.treasury
  const { token } = by.person
  const { recipient, amount, terms: usual } = termsOf(company, number)
  const attachmentIds = receipt === null ? [] : [await uploadReceipt(company, by, receipt)]
  const terms = { ...usual, ...more, attachmentIds }
  const url = `${company.path}/expenses`
  const made = await service.call('POST', url, { token, headers: freshKey(), body: terms })
  expect(outcome(made)).toBe('201')
  const { id } = made.body
  await submit(company, { id, by, version: 1 })
  company.filed[number] = { number, id, amount, recipient, by, terms }
}

/** Each employee files three small expenses and a larger one. The month's run from 0 to 79. */
export const fileHalfAMonth = (
  company: Company,
  half: 0 | 1,
  exceptions: Record<number, Partial<Filing>> = {},
) =>
  Promise.all(
    company.employees.map(async (by, employee) => {
      for (const turn of times(4, (n) => n)) {
        const number = half * 40 + employee * 4 + turn
        await fileExpense(company, { number, by, ...exceptions[number] })
      }
    }),
  )

export async function expenseNumber(company: Company, number: number): Promise<ReadExpense> {
  return readExpense(company, company.filed[number]?.id ?? '')
}

export async function submit(
  company: Company,
  { id, by, version }: { id: string; by: Colleague; version: number },
): Promise<void> {
  const body = { expectedVersion: version }
  expect(outcome(await step(company, `expenses/${id}/submit`, body, by.person))).toBe('202')
}

/** The checks of the expense's report that did not pass. */
export async function warningsOf(company: Company, number: number): Promise<string[]> {
  const { currentReportId } = await expenseNumber(company, number)
  const { body } = await read(company, `reports/${currentReportId}`, company.ada)
  const checks: { id: string; outcome: string }[] = body.output.checks
  return checks.filter(({ outcome }) => outcome !== 'pass').map(({ id }) => id)
}

/** Until the company has exactly these expenses: `{ paid: 30, needs_review: 10 }`. */
export const untilCounts = (company: Company, expected: Record<string, number>): Promise<void> =>
  vi.waitFor(
    async () => {
      const { body } = await read(company, 'expense-counts', company.ada)
      const counts = Object.entries(body.counts).filter(([, count]) => count !== 0)
      expect(Object.fromEntries(counts)).toEqual(expected)
    },
    { timeout: 45_000, interval: 100 },
  )

/** The expenses in a state that wait for somebody, oldest first. */
export async function waitingFor(
  company: Company,
  who: Colleague,
  state: 'needs_review' | 'awaiting_approval',
): Promise<{ id: string; currentRevision: number; submitterAccountId: string }[]> {
  const { body } = await read(company, `expenses?waitingFor=me&state=${state}&limit=100`, who)
  expect(body.nextCursor).toBeNull()
  return body.expenses.toReversed()
}

export const review = (
  company: Company,
  { id, currentRevision }: { id: string; currentRevision: number },
  { by, action, reason }: { by: Colleague; action: string; reason: string },
): Promise<Answer> =>
  step(
    company,
    `expenses/${id}/review`,
    { expectedVersion: currentRevision, action, reason },
    by.person,
  )

/** Advances everything that waits for the reviewer, and counts it. */
export async function advanceAll(company: Company, by: Colleague): Promise<number> {
  const waiting = await waitingFor(company, by, 'needs_review')
  for (const expense of waiting) {
    const reason = 'Ordered by us, and delivered'
    const answer = await review(company, expense, { by, action: 'advance_to_approval', reason })
    expect(outcome(answer)).toBe('200')
  }
  return waiting.length
}

/** Signs everything that waits for the approver, and counts it. */
export async function signAll(company: Company, by: Approver, { atMost = 100 } = {}) {
  const waiting = (await waitingFor(company, by, 'awaiting_approval')).slice(0, atMost)
  for (const { id } of waiting) {
    expect(outcome(await approve(company, await readExpense(company, id), by))).toBe('202')
  }
  return waiting.length
}
