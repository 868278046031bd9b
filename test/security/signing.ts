/** Expenses of a house that await a signature, or have one. */
import { randomUUID } from 'node:crypto'
import type { PrivateKeyAccount } from 'viem/accounts'
import { expect } from 'vitest'
import { runAnalysis } from '#analysis/run-analysis.ts'
import type { Organization, Person, TestApp } from '#test/support/app.ts'
import { writeAttempt, writeCase } from '#test/support/books.ts'

export const post = async (
  { call }: TestApp,
  url: string,
  { token, body }: { token: string; body?: unknown },
) => {
  const headers = { 'idempotency-key': randomUUID() }
  const answer = await call('POST', url, { token, headers, ...(body ? { body } : {}) })
  expect(answer.status).toBeLessThan(300)
  return answer.body
}

type Signing = {
  organization: Organization
  manager: Person
  employee: Person
  terms: object
  approver: PrivateKeyAccount
}

/** One prepared for signature and one signed: its payment is queued, and no worker runs. */
export async function furnishPayments(service: TestApp, signing: Signing) {
  const open = await prepareToSign(service, signing)
  const signed = await prepareToSign(service, signing)
  const { path, id: organizationId } = signing.organization
  const payment = await post(
    service,
    `${path}/expenses/${signed.expenseId}/approvals/submit-signature`,
    {
      token: signing.manager.token,
      body: { expectedVersion: 1, approvalId: signed.approvalId, signature: signed.signature },
    },
  )
  await writeAttempt(service, { organizationId, paymentId: payment.id })
  const { accountId } = signing.employee
  const caseId = await writeCase(service, { organizationId, accountId, paymentId: payment.id })
  return {
    ids: {
      signableExpenseId: open.expenseId,
      approvalId: open.approvalId,
      signature: open.signature,
      signedExpenseId: signed.expenseId,
      paymentId: payment.id,
      caseId,
    },
    // A preparation is shown only to its approver, once.
    secrets: [
      ...[open.expenseId, signed.expenseId, signed.approvalId, signed.digest, signed.signature],
      ...[payment.id, payment.chainPaymentId, payment.expenseVersionHash],
    ],
  }
}

async function prepareToSign(
  service: TestApp,
  { organization, manager, employee, terms, approver }: Signing,
) {
  const { path, id: organizationId, owner } = organization
  const { token } = employee
  const { id: expenseId } = await post(service, `${path}/expenses`, { token, body: terms })
  const step = (name: string, by: Person, body: object) =>
    post(service, `${path}/expenses/${expenseId}/${name}`, { token: by.token, body })
  const { taskId: runId } = await step('submit', employee, { expectedVersion: 1 })
  await runAnalysis(service.ctx, { organizationId, runId })
  const advance = { action: 'advance_to_approval', reason: 'As agreed' }
  await step('review', owner, { expectedVersion: 1, ...advance })
  const prepared = await step('approvals/prepare', manager, { expectedVersion: 1 })
  const { domain, types, primaryType, message, approvalId, digest } = prepared
  const { EIP712Domain: _domain, ...own } = types
  const signature = await approver.signTypedData({ domain, types: own, primaryType, message })
  return { expenseId, approvalId, digest, signature }
}
