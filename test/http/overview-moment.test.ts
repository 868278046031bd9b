/** The overview is one snapshot: a payment counts as reserved or as spent, never as neither. */
import { beforeAll, expect, test } from 'vitest'
import type { Member } from '#access/permissions.ts'
import type { TestApp } from '#test/support/app.ts'
import { beforeQuestion } from '#test/support/between-questions.ts'
import { expenseIn } from '#test/support/expense-states.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import { openSigningHouse, type SigningHouse, signAs } from '#test/support/signing.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'
import { readOverview } from '#treasury/overview.ts'

let service: TestApp
let house: SigningHouse

beforeAll(async () => {
  service = await sharedTestApp()
  await liftOwnersRowSecurity(service.database)
  house = await openSigningHouse(service)
})

/** As the engine does before it signs. */
const send = (expenseId: string) =>
  service.database.asOwner(`update payments set state = 'broadcast' where expense_id = $1`, [
    expenseId,
  ])

/** Records the vault's payment as the follower does. */
const count = (expenseId: string) =>
  service.database.asOwner(
    `with paid as (
       insert into vault_payments (organization_id, vault_id, chain_payment_id, recipient_address,
         mode, amount, transaction_hash, block_number, block_time)
       select organization_id, vault_id, chain_payment_id, recipient_address, mode, amount, '0x',
         1, now()
       from payments where expense_id = $1 returning organization_id, vault_id, amount)
     update vaults v set spent_total = v.spent_total + paid.amount
     from paid where v.organization_id = paid.organization_id and v.id = paid.vault_id`,
    [expenseId],
  )

test.each([1, 2, 3, 4])(
  'the allowance is unchanged when the vault pays before query %i',
  async (place) => {
    const { ctx } = service
    const expense = await expenseIn(service, house, 'awaiting_approval')
    expect((await signAs(service, house, expense, house.signer)).status).toBe(202)
    await send(expense.id)
    const { id: organizationId, owner } = house.organization
    const member = { organizationId, accountId: owner.accountId } as Member
    const before = await readOverview(ctx, { member })
    const { db, hasHappened } = beforeQuestion(ctx.db, place, () => count(expense.id))
    const { remainingAllowanceBaseUnits } = await readOverview({ ...ctx, db }, { member })
    expect(hasHappened()).toBe(true)
    expect(remainingAllowanceBaseUnits).toBe(before.remainingAllowanceBaseUnits)
  },
)
