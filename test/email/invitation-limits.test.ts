/** What keeps invitations from sending e-mails without end. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sendInvitation } from '#email/send-invitation.ts'
import { clearJobs, emailEnvironment, fakeMailer, queuedEmails } from '#test/email/steps.ts'
import {
  createOrganization,
  type Organization,
  startTestApp,
  type TestApp,
} from '#test/support/app.ts'
import { freshKey, liftOwnersRowSecurity, outcome } from '#test/support/steps.ts'

const mailer = fakeMailer()
let service: TestApp

beforeAll(async () => {
  const env = { ...emailEnvironment(), INVITATIONS_PER_ORGANIZATION: '2' }
  service = await startTestApp({ env, replace: { mailer } })
  await liftOwnersRowSecurity(service.database)
})
afterAll(() => service.stop())

const inviteTo = (
  { path, owner: { token } }: Organization,
  email: string | undefined,
  headers = freshKey(),
) =>
  service.call('POST', `${path}/invitations`, { token, body: { role: 'employee', email }, headers })

/** The quota counts open invitations, so a revoked one makes room. */
async function inviteAndRevoke(organization: Organization, email?: string) {
  const answer = await inviteTo(organization, email)
  const { token } = organization.owner
  const url = `${organization.path}/invitations/${answer.body.id}/revoke`
  if (answer.status === 201) await service.call('POST', url, { token })
  return outcome(answer)
}

describe('invitations by e-mail', () => {
  test('reach an address at most five times a day', async () => {
    const acme = await createOrganization(service)
    const headers = freshKey()
    const first = await inviteTo(acme, 'ada@example.com', headers)
    for (const email of [
      'ada@example.com',
      'Ada@example.com',
      'ada@EXAMPLE.com',
      'ADA@example.com',
    ])
      expect(await inviteAndRevoke(acme, email)).toBe('201')
    const refused = await inviteTo(acme, 'ada@example.com')
    expect(outcome(refused)).toBe('429 rate_limited')
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(86_000)
    expect(refused.body.error.message).toContain('this address')
    const replayed = await inviteTo(acme, 'ada@example.com', headers)
    expect(replayed.body).toEqual(first.body)
    expect(await inviteAndRevoke(acme, 'eve@example.com')).toBe('201')
  })

  test('are five times the open invitations a day, and may be sent again later', async () => {
    const acme = await createOrganization(service)
    const next = () => inviteAndRevoke(acme, `${randomUUID()}@example.com`)
    for (let sent = 0; sent < 10; sent += 1) expect(await next()).toBe('201')
    expect(await next()).toBe('429 rate_limited')
    // Invitations without an address send nothing.
    expect(await inviteAndRevoke(acme)).toBe('201')
    await service.database.asOwner(
      `update invitations set created_at = created_at - interval '1 day'
       where organization_id = $1`,
      [acme.id],
    )
    expect(await next()).toBe('201')
  })

  test('wait in one queue, so that a mail server that hangs blocks one job', async () => {
    const acme = await createOrganization(service)
    await clearJobs(service)
    await inviteTo(acme, 'new@example.com')
    const [first] = await queuedEmails(service, 'send_invitation_email')
    if (!first) throw new Error('No job was enqueued')
    mailer.answers.push({ retry: 'failed with ETIMEDOUT' })
    await sendInvitation(service.ctx, first.payload)
    const [again] = await queuedEmails(service, 'send_invitation_email')
    expect([first.queue, again?.queue]).toEqual(['email:invitations', 'email:invitations'])
    expect(again?.payload.attempt).toBe(2)
  })
})
