/** Reviews and approvals of an expense as its readers see them, and reports of older revisions. */
import { beforeAll, describe, expect, test } from 'vitest'
import { approvalMachine } from '#approvals/approval.machine.ts'
import { approvalStates } from '#expenses/decisions.store.ts'
import { statesOf } from '#platform/machine.ts'
import { createOrganization, type TestApp } from '#test/support/app.ts'
import {
  analyseOpenRun,
  expenseIn,
  readExpense,
  review,
  revise,
  submit,
} from '#test/support/expense-states.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import { openSigningHouse, prepareAs, type SigningHouse, signAs } from '#test/support/signing.ts'
import { liftOwnersRowSecurity, outcome } from '#test/support/steps.ts'

let service: TestApp
let house: SigningHouse

beforeAll(async () => {
  service = await sharedTestApp()
  await liftOwnersRowSecurity(service.database)
  house = await openSigningHouse(service)
  await nameThem(house.manager.accountId, 'Mina Manager')
})

const nameThem = (accountId: string, name: string) =>
  service.database.asOwner(
    `insert into profiles (account_id, name, updated_at) values ($1, $2, now())
     on conflict (account_id) do update set name = $2`,
    [accountId, name],
  )

describe('reviews', () => {
  test('show the submitter who asked for a revision, and why', async () => {
    const { id } = await expenseIn(service, house, 'needs_review')
    const reason = 'Attach the invoice of May,\nplease.'
    const reviewed = await review(service, house, { id, action: 'request_revision', reason })
    const expected = {
      revision: 1,
      action: 'request_revision',
      reason,
      accountId: house.manager.accountId,
      displayName: 'Mina Manager',
      createdAt: expect.any(String),
    }
    expect(reviewed.body.reviews).toEqual([expected])
    const { body } = await readExpense(service, house, id, house.employee.token)
    expect(body.reviews).toEqual([expected])
  })

  test('stay with later revisions, the newest first, with a name where there is one', async () => {
    const { id } = await expenseIn(service, house, 'revision_requested')
    expect((await revise(service, house, { id })).status).toBe(201)
    await submit(service, house, { id, expectedVersion: 2 })
    await analyseOpenRun(service, house, id)
    const { owner } = house.organization
    await review(service, house, { id, person: owner, expectedVersion: 2, action: 'reject' })
    const { body } = await readExpense(service, house, id)
    expect(body.reviews).toMatchObject([
      { revision: 2, action: 'reject', accountId: owner.accountId, displayName: null },
      { revision: 1, action: 'request_revision', accountId: house.manager.accountId },
    ])
  })

  test('are not stored when the review is refused', async () => {
    const { id } = await expenseIn(service, house, 'rejected')
    expect(outcome(await review(service, house, { id, action: 'reject' }))).toBe(
      '409 state_conflict',
    )
    expect((await readExpense(service, house, id)).body.reviews).toHaveLength(1)
  })

  test('are empty for a new expense', async () => {
    const body = await expenseIn(service, house, 'draft')
    expect([body.reviews, body.approvals]).toEqual([[], []])
  })
})

describe('approvals', () => {
  test('have the same states as the machine', () => {
    expect([...approvalStates]).toEqual(statesOf(approvalMachine))
  })

  test('show who prepared and who signed, and when', async () => {
    const expense = await expenseIn(service, house, 'awaiting_approval')
    const { signer } = house
    await nameThem(signer.person.accountId, 'Sam Signer')
    const first = await prepareAs(service, house, expense, signer)
    await service.call(
      'POST',
      `${house.organization.path}/expenses/${expense.id}/approvals/cancel-signing`,
      {
        token: signer.person.token,
        body: { expectedVersion: 1, approvalId: first.body.approvalId },
      },
    )
    const cancelled = (await readExpense(service, house, expense.id)).body.approvals
    expect(cancelled).toEqual([
      {
        approvalId: first.body.approvalId,
        expenseRevision: 1,
        state: 'prepared',
        cancelled: true,
        approverAddress: signer.accounts[0].address,
        accountId: signer.person.accountId,
        displayName: 'Sam Signer',
        deadline: expect.any(String),
        signedAt: null,
        digest: first.body.digest,
        policyVersion: Number(first.body.message.policyVersion),
      },
    ])
    expect((await signAs(service, house, expense, signer)).status).toBe(202)
    const { body } = await readExpense(service, house, expense.id, house.employee.token)
    expect(body.approvals).toHaveLength(2)
    expect(body.approvals[0]).toMatchObject({
      cancelled: false,
      displayName: 'Sam Signer',
      signedAt: expect.stringMatching(/Z$/),
    })
    expect(['signed', 'consumed']).toContain(body.approvals[0].state)
    expect(body.approvals[1]).toMatchObject({ state: 'superseded', signedAt: null })
  })
})

describe('GET expenses/{expenseId}/revisions/{revision}/report', () => {
  const get = (path: string, token: string) =>
    service.call('GET', `${house.organization.path}/expenses/${path}`, { token })

  test('returns the report of each analysed revision', async () => {
    const { id, currentReportId } = await expenseIn(service, house, 'revision_requested')
    await revise(service, house, { id, terms: { amountBaseUnits: '31000000' } })
    const { token } = house.employee
    const first = await get(`${id}/revisions/1/report`, token)
    expect(first.body).toMatchObject({ id: currentReportId, expenseId: id, expenseRevision: 1 })
    expect(outcome(await get(`${id}/revisions/2/report`, token))).toBe('404 not_found')
    await submit(service, house, { id, expectedVersion: 2 })
    await analyseOpenRun(service, house, id)
    const second = await get(`${id}/revisions/2/report`, token)
    expect(second.body).toMatchObject({ expenseRevision: 2 })
    expect((await get(`${id}/revisions/1/report`, token)).body).toEqual(first.body)
  })

  test('answers 404 to an employee for an expense of another member', async () => {
    const { manager } = house
    const { owner } = house.organization
    const { id } = await expenseIn(service, house, 'analysis_queued', { person: manager })
    await analyseOpenRun(service, house, id)
    expect((await get(`${id}/revisions/1/report`, owner.token)).status).toBe(200)
    const refused = await get(`${id}/revisions/1/report`, house.employee.token)
    expect(outcome(refused)).toBe('404 not_found')
  })

  test('rejects revision 0 with 400 and a stranger with 403', async () => {
    const { id } = await expenseIn(service, house, 'needs_review')
    const invalid = await get(`${id}/revisions/0/report`, house.employee.token)
    expect(outcome(invalid)).toBe('400 validation_failed')
    const { owner } = await createOrganization(service)
    expect(outcome(await get(`${id}/revisions/1/report`, owner.token))).toBe('403 forbidden')
  })
})
