/** An operator's read is one snapshot, even when somebody joins between its queries. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readOrganization } from '#admin/read-organization.ts'
import {
  createOrganization,
  joinOrganization,
  type Organization,
  startTestApp,
  type TestApp,
} from '#test/support/app.ts'
import { beforeQuestion } from '#test/support/between-questions.ts'
import { type Operator, signInOperator } from '#test/support/operators.ts'

let service: TestApp
let operator: Operator
let organization: Organization

beforeAll(async () => {
  service = await startTestApp()
  operator = await signInOperator(service)
  organization = await createOrganization(service)
})
afterAll(() => service.stop())

test.each([1, 2, 3, 4, 5, 6])(
  'lists as many members as it counts when one joins before query %i',
  async (place) => {
    const { ctx } = service
    const join = () => joinOrganization(service, organization, { role: 'employee' })
    const { db: observerDb, hasHappened } = beforeQuestion(ctx.observerDb, place, join)
    const actor = { realm: 'admin' as const, accountId: operator.accountId, requestId: null }
    const asked = { operator: actor, organizationId: organization.id }
    const { organization: figures, members } = await readOrganization({ ...ctx, observerDb }, asked)
    expect(hasHappened()).toBe(true)
    expect(members).toHaveLength(figures.memberCount)
  },
)
