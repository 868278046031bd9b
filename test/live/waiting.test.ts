/** `waitingFor=me` lists exactly the visible expenses that have a task for the caller. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openCrowd, openFew, placeExpenses, type TaskHouse } from '#test/live/task-house.ts'
import { type Person, startTestApp, type TestApp } from '#test/support/app.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'

let service: TestApp
let houses: Record<string, TaskHouse>

const OWN = ['needs_review', 'revision_requested', 'awaiting_approval', 'blocked, to be released']

beforeAll(async () => {
  service = await startTestApp({ env: { PAYMENT_RELEASE: 'manual' } })
  await liftOwnersRowSecurity(service.database)
  const crowd = await openCrowd(service)
  const few = await openFew(service)
  houses = { crowd, few }
  await placeExpenses(service, crowd, 'employee')
  await placeExpenses(service, crowd, 'signing manager', { only: OWN })
  await placeExpenses(service, few, 'owner', { only: OWN })
  await placeExpenses(service, few, 'signing employee', { only: OWN })
}, 180_000)
afterAll(() => service.stop())

type Task = { expenseId: string | null; group: string }
type Listed = { id: string; state: string }

const get = async (house: TaskHouse, { token }: Person, path: string) => {
  const { status, body } = await service.call('GET', `${house.organization.path}/${path}`, {
    token,
  })
  expect(status).toBe(200)
  return body
}

const list = async (house: TaskHouse, person: Person, query = ''): Promise<Listed[]> =>
  (await get(house, person, `expenses?limit=200${query}`)).expenses

/** What the snapshot says, for the expenses that the list shows this person. */
async function expected(house: TaskHouse, person: Person): Promise<Listed[]> {
  const { tasks } = await get(house, person, 'live/snapshot')
  const waiting = (tasks as Task[])
    .filter(({ group }) => group === 'needs_action')
    .map(({ expenseId }) => expenseId)
  return (await list(house, person)).filter(({ id }) => waiting.includes(id))
}

const cases = [
  ...['owner', 'manager', 'signing manager', 'employee'].map((name) => ['crowd', name] as const),
  ...['owner', 'employee', 'signing employee'].map((name) => ['few', name] as const),
]

describe.each(cases)('waitingFor=me in the %s, for the %s', (where, name) => {
  const place = () => {
    const house = houses[where] as TaskHouse
    return { house, person: house.people[name] as Person }
  }

  test('agrees with the tasks of the snapshot', async () => {
    const { house, person } = place()
    const waiting = await list(house, person, '&waitingFor=me')
    expect(waiting).toEqual(await expected(house, person))
    const { nextCursor } = await get(house, person, 'expenses?limit=200&waitingFor=me')
    expect(nextCursor).toBeNull()
  })

  test('is counted by state, and combines with other filters', async () => {
    const { house, person } = place()
    const waiting = await expected(house, person)
    const counted = await get(house, person, 'expense-counts?waitingFor=me')
    expect(counted).toMatchObject({ total: waiting.length, isComplete: true })
    const blocked = waiting.filter(({ state }) => state === 'blocked')
    expect(counted.counts.blocked).toBe(blocked.length)
    expect(await list(house, person, '&waitingFor=me&state=blocked&state=paid')).toEqual(blocked)
    expect(await list(house, person, '&waitingFor=me&state=paid')).toEqual([])
    expect(await list(house, person, '&waitingFor=me&q=nowhere')).toEqual([])
  })
})

test('some wait for each of the deciding roles', async () => {
  const { crowd } = houses as { crowd: TaskHouse }
  for (const name of ['owner', 'manager', 'signing manager', 'employee']) {
    const waiting = await list(crowd, crowd.people[name] as Person, '&waitingFor=me')
    expect(waiting.length).toBeGreaterThan(2)
  }
})

test('pages with the cursors of the list', async () => {
  const { crowd } = houses as { crowd: TaskHouse }
  const { owner } = crowd.organization
  const all = await list(crowd, owner, '&waitingFor=me')
  const seen: Listed[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const more: string = cursor === '' ? '' : `&cursor=${cursor}`
    const page = await get(crowd, owner, `expenses?waitingFor=me&limit=3${more}`)
    expect(page.expenses.length).toBeLessThanOrEqual(3)
    seen.push(...page.expenses)
    cursor = page.nextCursor
  }
  expect(seen).toEqual(all)
})

test('judges at most 1,000 candidates in one request, and continues after them', async () => {
  const { few } = houses as { few: TaskHouse }
  const { organization, employee, vaultId, recipientId, recipientAddress } = few
  // Newer than all others, and none waits for the owner: they are reviewed, but nobody may sign.
  const expense = `('01ffffff-000e-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid`
  const rows = 'from generate_series(1, 1100) n'
  await service.database.asOwner(
    `insert into expenses (id, organization_id, submitter_account_id, payment_id,
       current_revision, state, created_at, updated_at)
     select ${expense}, $1, $2, gen_random_uuid(), 1, 'awaiting_approval', now(), now() ${rows}`,
    [organization.id, employee.accountId],
  )
  await service.database.asOwner(
    `insert into expense_revisions (organization_id, expense_id, revision, vault_id, recipient_id,
       recipient_label, recipient_address, amount, requested_mode, purpose, purpose_key,
       version_hash, author_account_id, created_at)
     select $1, ${expense}, 1, $2, $3, 'Acme', $4, n, 'approved', 'Many', '\\x00',
       '0x' || repeat('a', 64), $5, now() ${rows}`,
    [organization.id, vaultId, recipientId, recipientAddress.toLowerCase(), employee.accountId],
  )
  const { owner } = organization
  const first = await get(few, owner, 'expenses?waitingFor=me&limit=50')
  expect(first.expenses).toEqual([])
  const query = `expenses?waitingFor=me&limit=50&cursor=${first.nextCursor}`
  const second = await get(few, owner, query)
  expect(second.expenses.length).toBeGreaterThan(0)
  expect(second.nextCursor).toBeNull()
  const { isComplete } = await get(few, owner, 'expense-counts?waitingFor=me')
  expect(isComplete).toBe(false)
})
