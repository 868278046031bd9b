/** An organization whose policy asks for two approvers above an amount; as rows only. */
import { expect } from 'vitest'
import type { PolicyRow } from '#treasury/policies.store.ts'
import type { Answer, TestApp } from './app.ts'
import { expenseIn } from './expense-states.ts'
import { type ExpenseHouse, openExpenseHouse, type POLICY } from './expenses.ts'
import {
  addressesOf,
  joinSigner,
  prepareAs,
  type Signer,
  signWith,
  submitAs,
  writePolicyVersion,
} from './signing.ts'

/** The amount of `expenseIn` is above it. */
export const TIERS = [{ above: 20_000_000n, approvals: 2 }]

export type SeveralHouse = ExpenseHouse & { signers: Signer[] }
export type Awaiting = { id: string; currentRevision: number; paymentId: string }

export async function openSeveralHouse(
  service: TestApp,
  { signers: count = 3, ...terms }: Partial<typeof POLICY & PolicyRow> & { signers?: number } = {},
): Promise<SeveralHouse> {
  const { balance, ...policy } = terms
  const house = await openExpenseHouse(service, balance === undefined ? {} : { balance })
  const signers: Signer[] = []
  for (let n = 0; n < count; n += 1) signers.push(await joinSigner(service, house))
  const approverAddresses = addressesOf(...signers)
  const listed = { approverAddresses, tiers: TIERS, automaticCap: 10_000_000n }
  await writePolicyVersion(service, house, { ...listed, ...policy })
  return { ...house, signers }
}

export const signerOf = ({ signers }: SeveralHouse, index: number): Signer => {
  const signer = signers[index]
  if (!signer) throw new Error(`There is no signer ${index}`)
  return signer
}

export const awaiting = async (
  service: TestApp,
  house: ExpenseHouse,
  more: Parameters<typeof expenseIn>[3] = {},
): Promise<Awaiting> => {
  const { id, currentRevision, paymentId } = await expenseIn(
    service,
    house,
    'awaiting_approval',
    more,
  )
  return { id, currentRevision, paymentId }
}

export type Signed = { signer: Signer; approvalId: string; signature: string; deadline: number }

/** Prepared and signed, but not submitted. */
export async function preparedBy(
  service: Pick<TestApp, 'call'>,
  house: ExpenseHouse,
  expense: Awaiting,
  signer: Signer,
  more: object = {},
): Promise<Signed> {
  const { status, body } = await prepareAs(service, house, expense, signer, more)
  expect(status).toBe(200)
  const account = signer.accounts.find(({ address }) => address === body.approverAddress)
  if (!account) throw new Error('The approval names a wallet that the signer does not have')
  const signature = await signWith(account, body)
  const { approvalId, message } = body
  return { signer, approvalId, signature, deadline: Number(message.deadline) }
}

export const submit = (
  service: Pick<TestApp, 'call'>,
  house: ExpenseHouse,
  expense: Awaiting,
  { signer, approvalId, signature }: Signed,
): Promise<Answer> =>
  submitAs(service, house, expense, { person: signer.person, approvalId, signature })

export async function signedBy(
  service: Pick<TestApp, 'call'>,
  house: ExpenseHouse,
  expense: Awaiting,
  signer: Signer,
): Promise<Answer> {
  return submit(service, house, expense, await preparedBy(service, house, expense, signer))
}

const read = ({ call }: Pick<TestApp, 'call'>, house: ExpenseHouse, path: string) =>
  call('GET', `${house.organization.path}/${path}`, { token: house.organization.owner.token })

export const paymentOf = async (
  service: Pick<TestApp, 'call'>,
  house: ExpenseHouse,
  { paymentId }: Awaiting,
): Promise<Answer['body']> => (await read(service, house, `payments/${paymentId}`)).body

export const expenseOf = async (
  service: Pick<TestApp, 'call'>,
  house: ExpenseHouse,
  { id }: Awaiting,
): Promise<Answer['body']> => (await read(service, house, `expenses/${id}`)).body

/** The states of all approvals of the expense, oldest first. */
export const approvalStates = async (
  service: Pick<TestApp, 'call'>,
  house: ExpenseHouse,
  expense: Awaiting,
): Promise<string[]> =>
  (await expenseOf(service, house, expense)).approvals
    .map(({ state }: { state: string }) => state)
    .reverse()

/** Jobs that would queue the payment. `liftOwnersRowSecurity` must have been called. */
export const releaseJobs = async (
  { database }: Pick<TestApp, 'database'>,
  { paymentId }: Awaiting,
): Promise<number> =>
  (
    await database.asOwner('select 1 from graphile_worker.jobs where key = $1', [
      `release_payment:${paymentId}`,
    ])
  ).length
