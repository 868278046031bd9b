/** An approver signs through the client, and refuses what a lying service prepares. */

import { createClient } from '@countersign/client/client.ts'
import { unwrap } from '@countersign/client/result.ts'
import { readForApproval, signApproval } from '@countersign/client/sign-approval.ts'
import type { TypedData } from '@countersign/proof/typed-data.ts'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { expenseIn } from '#test/support/expense-states.ts'
import { openExpenseHouse } from '#test/support/expenses.ts'
import { baseUrl } from '#test/support/live.ts'
import {
  addressesOf,
  joinSigner,
  type SigningHouse,
  writePolicyVersion,
} from '#test/support/signing.ts'
import { randomAddress } from '#test/support/steps.ts'

let service: TestApp
let house: SigningHouse

beforeAll(async () => {
  service = await startTestApp()
  const opened = await openExpenseHouse(service)
  const signer = await joinSigner(service, opened, { role: 'manager' })
  await writePolicyVersion(service, opened, { approverAddresses: addressesOf(signer) })
  house = { ...opened, signer }
})
afterAll(() => service.stop())

/** Changes what the service prepared, on its way. */
type Lie = (prepared: TypedData) => void

async function open(lie: Lie = () => {}) {
  const requests: string[] = []
  const client = createClient({
    baseUrl: await baseUrl(service),
    token: house.signer.person.token,
    async fetch(request) {
      const { pathname } = new URL(request.url)
      requests.push(pathname.split('/').at(-1) ?? '')
      const response = await fetch(request)
      if (!pathname.endsWith('/prepare')) return response
      const prepared = (await response.json()) as TypedData
      lie(prepared)
      return Response.json(prepared, { status: response.status })
    },
  })
  const expense = await expenseIn(service, house, 'awaiting_approval')
  const path = { organizationId: house.organization.id, expenseId: expense.id }
  const shown = unwrap(await readForApproval(client, path))
  return { client, shown, requests }
}

const account = () => house.signer.accounts[0]

test('signs what was shown, and the payment is reserved', async () => {
  const { client, shown } = await open()
  const result = await signApproval(client, {
    shown,
    approverAddress: account().address,
    sign: (typedData) => account().signTypedData(typedData),
  })
  expect(result).toMatchObject({
    ok: true,
    payment: { expenseId: shown.expense.id, amountBaseUnits: '25000000', mode: 'approved' },
  })
})

test('shows nothing to the wallet when the service prepared another payment', async () => {
  const { client, shown, requests } = await open(({ message }) => {
    message.recipient = randomAddress()
  })
  let isAsked = false
  const result = await signApproval(client, {
    shown,
    approverAddress: account().address,
    sign: async () => {
      isAsked = true
      return '0x'
    },
  })
  expect(result).toMatchObject({ ok: false, reason: 'mismatch' })
  expect(isAsked).toBe(false)
  expect(requests.at(-1)).toBe('prepare')
})

test('submits no signature of another key', async () => {
  const { client, shown, requests } = await open()
  const other = privateKeyToAccount(generatePrivateKey())
  const result = await signApproval(client, {
    shown,
    approverAddress: account().address,
    sign: (typedData) => other.signTypedData(typedData),
  })
  expect(result).toEqual({ ok: false, reason: 'wrong_signature' })
  expect(requests).not.toContain('submit-signature')
})

test('says that the person declined, and that a revision came in between', async () => {
  const { client, shown } = await open()
  const request = { shown, approverAddress: account().address }
  const cause = new Error('User rejected the request')
  const declined = await signApproval(client, { ...request, sign: () => Promise.reject(cause) })
  expect(declined).toEqual({ ok: false, reason: 'not_signed', cause })
  const stale = structuredClone(shown)
  stale.expense.currentRevision += 1
  const result = await signApproval(client, {
    ...request,
    shown: stale,
    sign: (typedData) => account().signTypedData(typedData),
  })
  expect(result).toMatchObject({
    reason: 'failed',
    isSigned: false,
    failure: { code: 'version_conflict', treatment: 'refresh' },
  })
})
