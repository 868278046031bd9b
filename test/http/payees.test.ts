/** Nobody reviews or signs an expense that pays them. */
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Answer, joinOrganization, type Person, type TestApp } from '#test/support/app.ts'
import {
  analyse,
  createExpense,
  type ExpenseHouse,
  openExpenseHouse,
  takeStep,
} from '#test/support/expenses.ts'
import { signTypedData } from '#test/support/payments.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import { liftOwnersRowSecurity, membershipOf, outcome, randomAddress } from '#test/support/steps.ts'

let service: TestApp
let house: ExpenseHouse

beforeAll(async () => {
  service = await sharedTestApp()
  await liftOwnersRowSecurity(service.database)
})
beforeEach(async () => {
  house = await openExpenseHouse(service)
})

/** A manager with these wallets. */
async function managerWith(...addresses: string[]): Promise<Person> {
  const wallets = addresses.map((address) => ({ address, kind: 'external' as const }))
  const person = await service.signIn(undefined, wallets)
  return joinOrganization(service, house.organization, { role: 'manager', person })
}

/** Submitted and analysed: it awaits review. */
async function inReview(person: Person = house.employee): Promise<string> {
  const made = await createExpense(service, house, { person })
  const { id } = made.body
  const body = { expectedVersion: 1 }
  const submitted = await takeStep(service, house, { id, step: 'submit', person, body })
  await analyse(service, house, submitted.body.taskId)
  return id
}

const review = (id: string, person: Person, action: string): Promise<Answer> =>
  takeStep(service, house, {
    id,
    step: 'review',
    person,
    body: { expectedVersion: 1, action, reason: 'As agreed' },
  })

const prepare = (id: string, person: Person): Promise<Answer> =>
  takeStep(service, house, {
    id,
    step: 'approvals/prepare',
    person,
    body: { expectedVersion: 1 },
  })

const actionsOf = async (id: string, person: Person): Promise<string[]> => {
  const { path } = house.organization
  const { body } = await service.call('GET', `${path}/live/snapshot`, { token: person.token })
  const task = body.tasks.find(({ aggregateId }: { aggregateId: string }) => aggregateId === id)
  return task.actions.map((action: { id: string }) => action.id)
}

const unlinkAll = ({ accountId }: Person) =>
  service.database.asOwner('delete from wallets where account_id = $1', [accountId])

describe('a manager whose wallet is the recipient', () => {
  test.each(['advance_to_approval', 'request_revision', 'reject'])(
    'is refused %s with a 403 self_review that says who else can do it',
    async (action) => {
      const payee = await managerWith(house.recipientAddress)
      const answer = await review(await inReview(), payee, action)
      expect(outcome(answer)).toBe('403 self_review')
      expect(answer.body.error.message).toBe(
        'This expense pays a wallet that is or was yours. ' +
          'Ask another owner or manager to review it.',
      )
    },
  )

  test('has no review among their tasks, while another manager does', async () => {
    const payee = await managerWith(house.recipientAddress)
    const id = await inReview()
    expect(await actionsOf(id, payee)).toEqual([])
    expect(await actionsOf(id, house.manager)).toEqual(['review_report', 'request_revision'])
    expect((await review(id, house.manager, 'advance_to_approval')).status).toBe(200)
  })

  test('is still refused after the wallet was unlinked', async () => {
    const payee = await managerWith(house.recipientAddress)
    await unlinkAll(payee)
    const id = await inReview()
    expect(outcome(await review(id, payee, 'advance_to_approval'))).toBe('403 self_review')
    expect(await actionsOf(id, payee)).toEqual([])
  })

  test('stays refused when another account links the wallet', async () => {
    const former = await managerWith(house.recipientAddress)
    await unlinkAll(former)
    const present = await managerWith(house.recipientAddress)
    const id = await inReview()
    expect(outcome(await review(id, former, 'reject'))).toBe('403 self_review')
    expect(outcome(await review(id, present, 'reject'))).toBe('403 self_review')
  })

  test('does not count as another reviewer: an owner who submitted it may review', async () => {
    const { owner } = house.organization
    const { membershipId } = await membershipOf(service, house.organization, house.manager)
    const revoked = await service.call(
      'POST',
      `${house.organization.path}/members/${membershipId}/revoke`,
      { token: owner.token },
    )
    expect(revoked.status).toBe(200)
    await managerWith(house.recipientAddress)
    const id = await inReview(owner)
    expect(await actionsOf(id, owner)).toContain('review_report')
    expect((await review(id, owner, 'advance_to_approval')).status).toBe(200)
  })

  test('and the only reviewer is told to invite another', async () => {
    const { owner } = house.organization
    const payee = await managerWith(house.recipientAddress)
    await service.database.asOwner(
      `update memberships set state = 'revoked', revoked_at = now()
       where organization_id = $1 and account_id = any($2) `,
      [house.organization.id, [owner.accountId, house.manager.accountId]],
    )
    const id = await inReview()
    const answer = await review(id, payee, 'advance_to_approval')
    expect(outcome(answer)).toBe('403 self_review')
    expect(answer.body.error.message).toContain('Nobody else can review it. Invite another')
  })
})

describe('an approver whose wallet is the recipient', () => {
  /** A manager with the approver role whose wallet the policy lists. */
  async function approverWith(more: string[] = [], wallet = randomAddress()): Promise<Person> {
    const address = wallet.toLowerCase()
    const person = await managerWith(address, ...more)
    const { membershipId, wallets } = await membershipOf(service, house.organization, person)
    const walletId = wallets.find((wallet) => wallet.address.toLowerCase() === address)?.id
    const { owner, path, id } = house.organization
    const given = await service.call('POST', `${path}/wallet-roles`, {
      token: owner.token,
      body: { membershipId, walletId, role: 'approver' },
    })
    expect(given.status).toBe(201)
    await service.database.asOwner(
      `update policies set approver_addresses = approver_addresses || $2::text[]
       where organization_id = $1`,
      [id, [address]],
    )
    return person
  }

  const awaiting = async (): Promise<string> => {
    const id = await inReview()
    expect((await review(id, house.manager, 'advance_to_approval')).status).toBe(200)
    return id
  }

  test('cannot prepare a signature, while another approver can', async () => {
    const payee = await approverWith([house.recipientAddress])
    const other = await approverWith()
    const id = await awaiting()
    const refused = await prepare(id, payee)
    expect(outcome(refused)).toBe('403 self_approval')
    expect(refused.body.error.message).toContain('Ask another approver of the policy to sign it.')
    expect(await actionsOf(id, payee)).toEqual([])
    expect(await actionsOf(id, other)).toEqual(['prepare_approval', 'sign_approval'])
    expect((await prepare(id, other)).status).toBe(200)
  })

  test('cannot use a signature prepared before the wallet was linked', async () => {
    const signer = privateKeyToAccount(generatePrivateKey())
    const approver = await approverWith([], signer.address)
    const id = await awaiting()
    const { status, body } = await prepare(id, approver)
    expect(status).toBe(200)
    await service.database.asOwner(
      'insert into wallet_links (address, account_id) values ($1, $2)',
      [house.recipientAddress.toLowerCase(), approver.accountId],
    )
    const answer = await takeStep(service, house, {
      id,
      step: 'approvals/submit-signature',
      person: approver,
      body: {
        expectedVersion: 1,
        approvalId: body.approvalId,
        signature: await signTypedData({ account: signer }, body),
      },
    })
    expect(outcome(answer)).toBe('403 self_approval')
  })

  test('and the only approver is told how to add another', async () => {
    const payee = await approverWith([house.recipientAddress])
    const answer = await prepare(await awaiting(), payee)
    expect(outcome(answer)).toBe('403 self_approval')
    expect(answer.body.error.message).toContain("Assign another member's wallet the approver role")
  })
})
