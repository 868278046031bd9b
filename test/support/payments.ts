/** An organization that really pays: a vault with money, a policy, gas, and every role. */
import type { Address, Hex } from 'viem'
import { expect, vi } from 'vitest'
import { findExpense } from '#expenses/expenses.store.ts'
import { type Answer, joinOrganization, type Person } from './app.ts'
import { type TestWallet, tokenAbi } from './chain.ts'
import { membershipOf } from './steps.ts'
import {
  configurePolicy,
  databaseOf,
  deployVault,
  deposit,
  type House,
  key,
  openHouse,
  provisionExecutor,
  type Treasury,
  type VaultRecord,
} from './treasury.ts'

export type PayingHouse = House & {
  treasury: Treasury
  manager: Person
  employee: Person
  vault: VaultRecord
  executor: Address
  recipientId: string
  recipient: Address
}

export type PayingTerms = {
  deposited?: bigint
  policy?: Record<string, unknown>
  /** Sent by the owner; otherwise the executor is funded externally. */
  hasGas?: boolean
  changeDelaySeconds?: number
}

export const CAPS = { approvedCap: '50000000', automaticCap: '20000000', lifetimeCap: '90000000' }

export async function openPayingHouse(
  treasury: Treasury,
  { deposited = 100_000_000n, policy = {}, hasGas = true, ...delay }: PayingTerms = {},
): Promise<PayingHouse> {
  const { service, chain } = treasury
  const house = await openHouse(treasury)
  const manager = await joinOrganization(service, house, { role: 'manager' })
  const employee = await joinOrganization(service, house, { role: 'employee' })
  const vault = await deployVault(treasury, house, 'Main', delay)
  const executor = (await provisionExecutor(treasury, house)) as Address
  const gas = { to: executor, data: '0x', gas: '0x5208' }
  if (hasGas) await chain.mined(await house.ownerWallet.send(gas, { wei: 10n ** 17n }))
  const { address: recipient } = await chain.wallet({ wei: 0n })
  const added = await service.call('POST', `${house.path}/recipients`, {
    token: house.owner.token,
    headers: key(),
    body: { label: 'Printers Ltd', address: recipient, chainId: 31_337 },
  })
  expect(added.status).toBe(201)
  await configurePolicy(treasury, house, { vaultId: vault.id, terms: { ...CAPS, ...policy } })
  await deposit(treasury, house, { vault: vault.address, amount: deposited })
  await vi.waitFor(async () => {
    const { body } = await service.call('GET', `${house.path}/overview`, {
      token: house.owner.token,
    })
    expect(body.balanceBaseUnits).toBe(deposited.toString())
  }, 20_000)
  const own = { manager, employee, recipientId: added.body.id, recipient }
  return { ...house, ...own, treasury, vault, executor }
}

let counter = 0

/** Purposes and amounts that pass every check. */
export const payable = (
  { vault, recipientId }: PayingHouse,
  terms: Record<string, unknown> = {},
) => {
  counter += 1
  return {
    vaultId: vault.id,
    recipientId,
    purpose: `Invoice ${1000 + counter} of the printers for the annual report, part ${counter}`,
    amountBaseUnits: String(1_000_000 + counter),
    requestedMode: 'approved',
    ...terms,
  }
}

export type ReadExpense = {
  id: string
  state: string
  paymentId: string
  currentRevision: number
  currentReportId: string | null
  blockCode: string | null
  revision: { amountBaseUnits: string }
}

export const readExpense = async (house: PayingHouse, id: string): Promise<ReadExpense> =>
  (
    await house.treasury.service.call('GET', `${house.path}/expenses/${id}`, {
      token: house.owner.token,
    })
  ).body

export const readPayment = async (house: PayingHouse, paymentId: string) =>
  (
    await house.treasury.service.call('GET', `${house.path}/payments/${paymentId}`, {
      token: house.owner.token,
    })
  ).body

export async function untilState(
  house: PayingHouse,
  id: string,
  state: string | readonly string[],
): Promise<ReadExpense> {
  const db = databaseOf(house.treasury)
  const [states, organizationId] = [[state].flat(), house.id]
  const key = { organizationId, expenseId: id, onlyOf: null }
  return vi.waitFor(
    async () => {
      const row = await db?.read({ organizationId }, (reader) => findExpense(reader, key))
      if (row && !states.includes(row.state)) throw new Error(`It is ${row.state}, not ${state}`)
      const expense = await readExpense(house, id)
      expect(expense.state).toBeOneOf(states)
      return expense
    },
    { timeout: 45_000, interval: 25 },
  )
}

export async function submitExpense(
  house: PayingHouse,
  terms: Record<string, unknown> = {},
): Promise<string> {
  const [{ service }, { token }] = [house.treasury, house.employee]
  const made = await service.call('POST', `${house.path}/expenses`, {
    token,
    headers: key(),
    body: payable(house, terms),
  })
  expect(made.status).toBe(201)
  const submitted = await service.call('POST', `${house.path}/expenses/${made.body.id}/submit`, {
    token,
    body: { expectedVersion: 1 },
  })
  expect(submitted.status).toBe(202)
  return made.body.id
}

/** Submitted, analysed and reviewed: an approver may sign. */
export async function awaitingApproval(
  house: PayingHouse,
  terms: Record<string, unknown> = {},
): Promise<ReadExpense> {
  const id = await submitExpense(house, terms)
  await untilState(house, id, 'needs_review')
  const review = { expectedVersion: 1, action: 'advance_to_approval', reason: 'As agreed' }
  const advanced = await step(house, `expenses/${id}/review`, review, house.manager)
  expect(advanced.status).toBe(200)
  return readExpense(house, id)
}

export const step = (
  house: PayingHouse,
  path: string,
  body: unknown,
  person: Person = house.owner,
): Promise<Answer> =>
  house.treasury.service.call('POST', `${house.path}/${path}`, { token: person.token, body })

type Approver = { person: Person; wallet: TestWallet }

const ownerOf = ({ owner, approverWallet }: PayingHouse): Approver => ({
  person: owner,
  wallet: approverWallet,
})

export const prepare = (
  house: PayingHouse,
  { id, currentRevision }: Pick<ReadExpense, 'id' | 'currentRevision'>,
  more = {},
  person: Person = house.owner,
) =>
  step(
    house,
    `expenses/${id}/approvals/prepare`,
    { expectedVersion: currentRevision, ...more },
    person,
  )

/** Signs the returned typed data unchanged, with a key that the service never sees. */
export async function signTypedData(
  wallet: Pick<TestWallet, 'account'>,
  { domain, types, primaryType, message }: Answer['body'],
): Promise<Hex> {
  const { EIP712Domain: _domain, ...own } = types
  return wallet.account.signTypedData({ domain, types: own, primaryType, message })
}

export const submitSignature = (
  house: PayingHouse,
  { id, currentRevision }: Pick<ReadExpense, 'id' | 'currentRevision'>,
  { approvalId, signature }: { approvalId: string; signature: string },
  person: Person = house.owner,
): Promise<Answer> =>
  step(
    house,
    `expenses/${id}/approvals/submit-signature`,
    { expectedVersion: currentRevision, approvalId, signature },
    person,
  )

/** Prepared and signed, but not submitted. */
export async function prepareAndSign(
  house: PayingHouse,
  expense: ReadExpense,
  { person, wallet }: Approver = ownerOf(house),
  more: { deadlineSeconds?: number } = {},
) {
  const prepared = await prepare(house, expense, more, person)
  expect(prepared.status).toBe(200)
  const signature = await signTypedData(wallet, prepared.body)
  const { approvalId, digest } = prepared.body
  return { approvalId, digest, signature, prepared: prepared.body }
}

export async function approve(
  house: PayingHouse,
  expense: ReadExpense,
  approver: Approver = ownerOf(house),
  more: { deadlineSeconds?: number } = {},
): Promise<Answer> {
  const signed = await prepareAndSign(house, expense, approver, more)
  return submitSignature(house, expense, signed, approver.person)
}

/** Another approver; the policy on chain lists the wallet once it is renewed. */
export async function joinApprover(
  house: PayingHouse,
  role: 'manager' | 'employee' = 'employee',
): Promise<Approver> {
  const { service, chain } = house.treasury
  const wallet = await chain.wallet()
  const signedIn = await service.signIn(undefined, [{ address: wallet.address, kind: 'external' }])
  const person = await joinOrganization(service, house, { role, person: signedIn })
  await giveApproverRole(house, person, wallet.address)
  return { person, wallet }
}

export async function giveApproverRole(
  house: PayingHouse,
  person: Person,
  address: string,
): Promise<string> {
  const { membershipId, wallets } = await membershipOf(house.treasury.service, house, person)
  const walletId = wallets.find((wallet) => wallet.address === address)?.id
  const given = await step(house, 'wallet-roles', { membershipId, walletId, role: 'approver' })
  expect(given.status).toBe(201)
  return given.body.id
}

/** A new policy version with the terms of `openPayingHouse`, except for the changes. */
export const renewPolicy = (house: PayingHouse, terms: Record<string, unknown> = {}) =>
  configurePolicy(house.treasury, house, {
    vaultId: house.vault.id,
    terms: { ...CAPS, ...terms },
  })

/** `POST …/payments`. */
export const release = (
  house: PayingHouse,
  { id, currentRevision }: Pick<ReadExpense, 'id' | 'currentRevision'>,
  person: Person = house.manager,
): Promise<Answer> =>
  step(house, `expenses/${id}/payments`, { expectedVersion: currentRevision }, person)

export const tokenBalance = (house: PayingHouse, address: Address): Promise<bigint> =>
  house.treasury.chain.client.readContract({
    address: house.treasury.chain.tokenAddress,
    abi: tokenAbi,
    functionName: 'balanceOf',
    args: [address],
  })

/** By a new person each time: many expenses of one person in a day go to review. */
export async function submitAutomatic(
  house: PayingHouse,
  terms: Record<string, unknown> = {},
): Promise<ReadExpense> {
  const employee = await joinOrganization(house.treasury.service, house, { role: 'employee' })
  const id = await submitExpense({ ...house, employee }, { ...terms, requestedMode: 'automatic' })
  return readExpense(house, id)
}

/** Stays so only with `PAYMENT_RELEASE=manual`; otherwise it may be paid already. */
export const automaticReady = async (house: PayingHouse, terms?: Record<string, unknown>) =>
  untilState(house, (await submitAutomatic(house, terms)).id, 'automatic_ready_for_payment')
