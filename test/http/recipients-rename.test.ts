import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  createOrganization,
  joinOrganization,
  type Organization,
  type TestApp,
} from '#test/support/app.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import { addRecipient, outcome, randomAddress } from '#test/support/steps.ts'

let service: TestApp
let acme: Organization

beforeAll(async () => {
  service = await sharedTestApp()
  acme = await createOrganization(service)
})

const rename = ({ path, owner }: Organization, id: string, label: unknown, token = owner.token) =>
  service.call('PATCH', `${path}/recipients/${id}`, { token, body: { label } })

const auditOf = async ({ id }: Organization, action: string) => {
  const token = await service.operatorToken()
  const { body } = await service.call('GET', `/v1/admin/organizations/${id}`, { token })
  return body.auditEvents.filter((event: { action: string }) => event.action === action)
}

describe('PATCH {org}/recipients/{recipientId}', () => {
  test('changes the label and nothing else', async () => {
    const home = await createOrganization(service)
    const recipient = (await addRecipient(service, home)).body
    const { status, body } = await rename(home, recipient.id, 'New name')
    expect(status).toBe(200)
    expect(body).toEqual({ ...recipient, label: 'New name' })
    const [event] = await auditOf(home, 'recipient.renamed')
    expect(event).toMatchObject({
      aggregateId: recipient.id,
      data: { label: 'New name', from: recipient.label, address: recipient.address },
    })
  })

  test('refuses a deactivated recipient with 409', async () => {
    const { id } = (await addRecipient(service, acme)).body
    const { token } = acme.owner
    await service.call('POST', `${acme.path}/recipients/${id}/deactivate`, { token })
    expect(outcome(await rename(acme, id, 'New name'))).toBe('409 state_conflict')
  })

  test('refuses employees, strangers, unknown and foreign recipients', async () => {
    const { id } = (await addRecipient(service, acme)).body
    const employee = await joinOrganization(service, acme, { role: 'employee' })
    const other = await createOrganization(service)
    expect(outcome(await rename(acme, id, 'x', employee.token))).toBe('403 role_required')
    expect(outcome(await rename(acme, id, 'x', other.owner.token))).toBe('403 forbidden')
    expect(outcome(await rename(other, id, 'x'))).toBe('404 not_found')
    expect(outcome(await rename(acme, randomUUID(), 'x'))).toBe('404 not_found')
  })

  test.each(['', '\u200b', 'a\nb', 'x'.repeat(101), 7, null])('refuses %j', async (label) => {
    const { id } = (await addRecipient(service, acme)).body
    expect(outcome(await rename(acme, id, label))).toBe('400 validation_failed')
  })

  test('cannot change the address', async () => {
    const { id } = (await addRecipient(service, acme)).body
    const answer = await service.call('PATCH', `${acme.path}/recipients/${id}`, {
      token: acme.owner.token,
      body: { label: 'x', address: randomAddress() },
    })
    expect(outcome(answer)).toBe('400 validation_failed')
  })
})
