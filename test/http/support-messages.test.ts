/** Members read their cases and write messages; operators choose which notes members see. */
import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { MESSAGES_MAX } from '#support/add-message.ts'
import { OWN_OPEN_CASES_MAX } from '#support/open-case.ts'
import { type House, house } from '#test/security/house.ts'
import type { Answer, Person, TestApp } from '#test/support/app.ts'
import { addNote, type Operator, openCase, signInOperator } from '#test/support/operators.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import {
  auditTrail,
  freshKey,
  liftOwnersRowSecurity,
  liveTrail,
  outcome,
  tally,
  times,
} from '#test/support/steps.ts'

let service: TestApp
let home: House
let other: House
let operator: Operator

beforeAll(async () => {
  service = await sharedTestApp()
  home = await house(service)
  other = await house(service)
  operator = await signInOperator(service)
  await liftOwnersRowSecurity(service.database)
  await nameEmployee('Erin Employee')
})
// An account with many open cases can open no more.
afterEach(() => service.database.asOwner(`update support_cases set state = 'resolved'`))

const nameEmployee = (name: string) =>
  service.database.asOwner(
    `insert into profiles (account_id, name, updated_at) values ($1, $2, now())
     on conflict (account_id) do update set name = excluded.name`,
    [home.employee.accountId, name],
  )

const get = (person: Person, path = ''): Promise<Answer> =>
  service.call('GET', `${home.organization.path}/support-cases${path}`, { token: person.token })

const write = (
  person: Person,
  caseId: string,
  { headers = freshKey(), ...body }: Record<string, unknown> & { headers?: object } = {},
): Promise<Answer> =>
  service.call('POST', `${home.organization.path}/support-cases/${caseId}/messages`, {
    token: person.token,
    headers: headers as Record<string, string>,
    body: { body: 'It still does not arrive.', ...body },
  })

async function openedBy(person: Person, body: Record<string, unknown> = {}): Promise<string> {
  const opened = await openCase(service, home.organization, { person, ...body })
  expect(opened.status).toBe(201)
  return opened.body.id
}

const stateOf = async (id: string) => (await get(home.organization.owner, `/${id}`)).body.status

describe('reading cases', () => {
  test('shows the opener the case with the first message and their name', async () => {
    const id = await openedBy(home.employee, { body: 'Since Monday.\nTwo payments.' })
    const { status, body } = await get(home.employee, `/${id}`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ id, status: 'open', displayName: 'Erin Employee' })
    expect(body.messages).toEqual([
      {
        id: expect.any(String),
        author: 'member',
        accountId: home.employee.accountId,
        displayName: 'Erin Employee',
        body: 'Since Monday.\nTwo payments.',
        createdAt: expect.any(String),
      },
    ])
  })

  test('has no message when the case was opened without one', async () => {
    const id = await openedBy(home.employee)
    expect((await get(home.employee, `/${id}`)).body.messages).toEqual([])
  })

  test('lists own cases, and for owners all cases of the organization', async () => {
    const [own, managers] = [await openedBy(home.employee), await openedBy(home.manager)]
    const idsFor = async (person: Person) =>
      (await get(person)).body.cases.map(({ id }: { id: string }) => id)
    expect(await idsFor(home.employee)).toContain(own)
    expect(await idsFor(home.employee)).not.toContain(managers)
    expect(await idsFor(home.manager)).toEqual([managers])
    expect((await idsFor(home.organization.owner)).slice(0, 2)).toEqual([managers, own])
  })

  test('is a task of its author and of owners, but of no manager', async () => {
    const id = await openedBy(home.employee)
    const seesTask = async ({ token }: Person) => {
      const url = `${home.organization.path}/live/snapshot`
      const { tasks } = (await service.call('GET', url, { token })).body
      return tasks.some((task: { aggregateId: string }) => task.aggregateId === id)
    }
    expect(await seesTask(home.employee)).toBe(true)
    expect(await seesTask(home.organization.owner)).toBe(true)
    expect(await seesTask(home.manager)).toBe(false)
  })

  test('pages newest first and filters by status', async () => {
    const ids = [await openedBy(home.manager), await openedBy(home.manager)]
    await addNote(service, operator, ids[0] ?? '', { status: 'resolved' })
    const first = (await get(home.manager, '?limit=1')).body
    expect(first.cases.map(({ id }: { id: string }) => id)).toEqual([ids[1]])
    const second = (await get(home.manager, `?limit=1&cursor=${first.nextCursor}`)).body
    expect(second.cases.map(({ id }: { id: string }) => id)).toEqual([ids[0]])
    const open = (await get(home.manager, '?status=open')).body
    expect(open.cases.map(({ id }: { id: string }) => id)).toEqual([ids[1]])
    expect(outcome(await get(home.manager, '?status=closed'))).toBe('400 validation_failed')
  })

  test("is 404 for a colleague's or an unknown case and one of another organization", async () => {
    const id = await openedBy(home.employee)
    for (const path of [`/${id}`, `/${randomUUID()}`, `/${other.caseId}`]) {
      expect(outcome(await get(home.manager, path))).toBe('404 not_found')
      expect(outcome(await write(home.manager, path.slice(1)))).toBe('404 not_found')
    }
    expect(outcome(await get(home.organization.owner, `/${other.caseId}`))).toBe('404 not_found')
    expect(outcome(await get(home.organization.owner, `/${id}`))).toBe('200')
  })
})

describe('a message', () => {
  test('is returned, recorded and announced, and keeps the state of an open case', async () => {
    const id = await openedBy(home.employee)
    const { status, body } = await write(home.employee, id)
    expect(status).toBe(201)
    expect(body).toMatchObject({
      author: 'member',
      accountId: home.employee.accountId,
      displayName: 'Erin Employee',
      body: 'It still does not arrive.',
    })
    expect((await get(home.employee, `/${id}`)).body.messages).toEqual([body])
    const { id: organizationId } = home.organization
    expect((await auditTrail(service.database, organizationId)).at(-1)).toMatchObject({
      action: 'support_case.messaged',
      actorAccountId: home.employee.accountId,
      aggregateId: id,
      data: { messageId: body.id, from: 'open', to: 'open' },
    })
    expect((await liveTrail(service.database, organizationId)).at(-1)).toMatchObject({
      kind: 'support_case.changed',
      aggregateId: id,
      targetState: 'open',
      code: 'message_added',
    })
  })

  test('of an owner is added to the case of an employee', async () => {
    const id = await openedBy(home.employee)
    expect(outcome(await write(home.organization.owner, id))).toBe('201')
    const { messages } = (await get(home.employee, `/${id}`)).body
    expect(messages).toMatchObject([{ accountId: home.organization.owner.accountId }])
  })

  test('reopens a resolved case, and leaves other states unchanged', async () => {
    const id = await openedBy(home.employee)
    await addNote(service, operator, id, { status: 'investigating' })
    await write(home.employee, id)
    expect(await stateOf(id)).toBe('investigating')
    await addNote(service, operator, id, { status: 'resolved' })
    await write(home.employee, id)
    expect(await stateOf(id)).toBe('reopened')
    await write(home.employee, id)
    expect(await stateOf(id)).toBe('reopened')
    const { id: organizationId } = home.organization
    const written = (await auditTrail(service.database, organizationId)).slice(-2)
    expect(written.map(({ data }) => [data.from, data.to])).toEqual([
      ['resolved', 'reopened'],
      ['reopened', 'reopened'],
    ])
  })

  test('does not reopen a case while the member has too many open ones', async () => {
    const id = await openedBy(home.employee)
    await addNote(service, operator, id, { status: 'resolved' })
    await Promise.all(times(OWN_OPEN_CASES_MAX, () => openedBy(home.employee)))
    expect(outcome(await write(home.employee, id))).toBe('409 state_conflict')
    expect(await stateOf(id)).toBe('resolved')
  })

  test('is written once for a repeated Idempotency-Key', async () => {
    const id = await openedBy(home.employee)
    const headers = freshKey()
    const answers = await Promise.all(times(4, () => write(home.employee, id, { headers })))
    expect(tally(answers)).toEqual({ '201': 4 })
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
    expect((await get(home.employee, `/${id}`)).body.messages).toHaveLength(1)
    const differs = await write(home.employee, id, { headers, body: 'Another text' })
    expect(outcome(differs)).toBe('409 idempotency_key_reused')
    expect(outcome(await write(home.employee, id, { headers: {} }))).toBe(
      '400 idempotency_key_required',
    )
  })

  test.each<[string, Record<string, unknown>]>([
    ['no body', { body: undefined }],
    ['an empty body', { body: '' }],
    ['a body of blanks', { body: '\n \n' }],
    ['a body of 4001 characters', { body: 'x'.repeat(4001) }],
    ['a control character', { body: 'a\u0007b' }],
    ['an unknown property', { status: 'resolved' }],
  ])('rejects %s with 400', async (_what, wrong) => {
    const answer = await write(home.employee, home.caseId, wrong)
    expect(outcome(answer)).toBe('400 validation_failed')
  })

  test('is refused with 409 when the case has the maximum number of messages', async () => {
    const id = await openedBy(home.employee)
    await service.database.asOwner(
      `insert into support_messages (id, organization_id, support_case_id, author_account_id, body,
         created_at)
       select gen_random_uuid(), $1, $2, $3, 'Hello?', now() from generate_series(2, $4)`,
      [home.organization.id, id, home.employee.accountId, MESSAGES_MAX],
    )
    expect(outcome(await write(home.employee, id))).toBe('201')
    expect(outcome(await write(home.employee, id))).toBe('409 state_conflict')
  })
})

describe('notes of operators', () => {
  test('stay internal unless they are made visible, and then show no operator', async () => {
    const id = await openedBy(home.employee, { body: 'Help!' })
    await addNote(service, operator, id, { body: 'Looks like a known bug' })
    const shown = await addNote(service, operator, id, {
      body: 'We are on it.',
      visibleToCustomer: true,
    })
    expect(shown.body.visibleToCustomer).toBe(true)
    await write(home.employee, id, { body: 'Thanks' })
    const { text, body } = await get(home.employee, `/${id}`)
    expect(body.messages).toMatchObject([
      { author: 'member', body: 'Help!' },
      { author: 'support', accountId: null, displayName: 'support', body: 'We are on it.' },
      { author: 'member', body: 'Thanks' },
    ])
    expect(text).not.toContain('known bug')
    expect(text).not.toContain(operator.accountId)
  })

  test('say in the audit trail and the live event that members see them', async () => {
    const id = await openedBy(home.employee)
    const { body: note } = await addNote(service, operator, id, {
      visibleToCustomer: true,
      status: 'resolved',
    })
    const { id: organizationId } = home.organization
    const [audited, live] = [
      (await auditTrail(service.database, organizationId)).at(-1),
      (await liveTrail(service.database, organizationId)).at(-1),
    ]
    expect(audited).toMatchObject({
      action: 'support_case.moved',
      data: { noteId: note.id, visibleToCustomer: true, from: 'open', to: 'resolved' },
    })
    expect(live).toMatchObject({ aggregateId: id, targetState: 'resolved', code: 'answered' })
  })

  test('are all shown to operators, with the messages and names of members', async () => {
    const id = await openedBy(home.employee, { body: 'Help!' })
    await addNote(service, operator, id, { body: 'Internal' })
    await addNote(service, operator, id, { body: 'Visible', visibleToCustomer: true })
    const { token } = operator
    const { status, body } = await service.call('GET', `/v1/admin/support-cases/${id}`, { token })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      id,
      organizationId: home.organization.id,
      displayName: 'Erin Employee',
      notes: [
        { body: 'Internal', visibleToCustomer: false, authorAccountId: operator.accountId },
        { body: 'Visible', visibleToCustomer: true },
      ],
      messages: [{ author: 'member', body: 'Help!', displayName: 'Erin Employee' }],
    })
    const unknown = `/v1/admin/support-cases/${randomUUID()}`
    expect(outcome(await service.call('GET', unknown, { token }))).toBe('404 not_found')
    const member = { token: home.organization.owner.token }
    const refused = await service.call('GET', `/v1/admin/support-cases/${id}`, member)
    expect(outcome(refused)).toBe('403 realm_mismatch')
  })
})
