import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { sendInvitation } from '#email/send-invitation.ts'
import { addSeconds, systemClock } from '#platform/clock.ts'
import {
  APP,
  clearJobs,
  deliveriesOf,
  emailEnvironment,
  fakeMailer,
  giveEmail,
  queuedEmails,
} from '#test/email/steps.ts'
import {
  createOrganization,
  joinOrganization,
  type Organization,
  startTestApp,
  type TestApp,
} from '#test/support/app.ts'
import {
  accept,
  invite,
  liftOwnersRowSecurity,
  membershipOf,
  revokeMember,
} from '#test/support/steps.ts'

const mailer = fakeMailer()
let service: TestApp
let organization: Organization

beforeAll(async () => {
  service = await startTestApp({ env: emailEnvironment(), replace: { mailer } })
  await liftOwnersRowSecurity(service.database)
  organization = await createOrganization(service)
  await giveEmail(service, organization.owner, { email: null, name: 'Ana Ruiz' })
})
afterAll(() => service.stop())
afterEach(async () => {
  mailer.sent.length = 0
  mailer.answers.length = 0
  await clearJobs(service)
})

type Job = Parameters<typeof sendInvitation>[1]

/** An invitation for that address, and its job. */
async function invited(email: string, by: Organization = organization) {
  const { status, body } = await invite(service, by, { role: 'manager', email })
  expect(status).toBe(201)
  const jobs = await queuedEmails(service, 'send_invitation_email')
  const job = jobs.find(({ payload }) => payload.invitationId === body.id)?.payload
  if (!job) throw new Error('No job was enqueued')
  return { id: body.id as string, token: body.inviteToken as string, job }
}

const send = (job: Job, after = 0) =>
  sendInvitation(
    { ...service.ctx, clock: { now: () => addSeconds(systemClock.now(), after) } },
    job,
  )

const revoke = (id: string) =>
  service.call('POST', `${organization.path}/invitations/${id}/revoke`, {
    token: organization.owner.token,
  })

test('names organization, inviter, role and expiry, and its link can be accepted', async () => {
  const { job, token } = await invited('new@acme.example')
  expect(job).toMatchObject({ organizationId: organization.id })
  expect(JSON.stringify(job)).not.toMatch(/acme|inviteToken/)
  await send(job)
  const [message] = mailer.sent
  expect(message).toMatchObject({
    to: 'new@acme.example',
    subject: 'Invitation to Acme',
    unsubscribeUrl: null,
  })
  expect(message?.text).toContain('Ana Ruiz invites you to join Acme as a manager.')
  const link = new RegExp(`${APP}/join/([\\w-]+)`).exec(message?.text ?? '')
  expect(link?.[1]).toBe(token)
  const person = await service.signIn()
  await giveEmail(service, person, { email: 'new@acme.example' })
  expect((await accept(service, person, link?.[1] ?? '')).status).toBe(200)
})

test('is sent once', async () => {
  const { job } = await invited('new@acme.example')
  await send(job)
  await send(job)
  expect(mailer.sent).toHaveLength(1)
})

test('is retried with the same Message-ID while the invitation is open', async () => {
  const { job } = await invited('new@acme.example')
  mailer.answers.push({ retry: 'answered 451' })
  await send(job)
  const [queued] = await queuedEmails(service, 'send_invitation_email')
  expect(queued).toMatchObject({
    payload: { ...job, attempt: 2 },
    key: `invitation_email:${job.invitationId}`,
  })
  expect(queued?.seconds).toBeGreaterThan(20)
  await send(queued?.payload ?? job)
  const [first, second] = mailer.sent
  expect(second?.messageId).toBe(first?.messageId)
})

test('ends with a permanent refusal', async () => {
  const { job } = await invited('nobody@acme.example')
  await service.database.asOwner('delete from email_deliveries')
  await clearJobs(service)
  mailer.answers.push({ rejected: 'answered 550' })
  await send(job)
  await send(job)
  expect(mailer.sent).toHaveLength(1)
  expect(await queuedEmails(service, 'send_invitation_email')).toEqual([])
  expect(await deliveriesOf(service)).toMatchObject([{ kind: 'invitation', outcome: 'rejected' }])
})

describe('nothing is sent', () => {
  test('without an address', async () => {
    const { body } = await invite(service, organization, { role: 'manager' })
    expect(await queuedEmails(service, 'send_invitation_email')).toEqual([])
    await send({ organizationId: organization.id, invitationId: body.id })
    expect(mailer.sent).toEqual([])
  })

  test('for a revoked, accepted or expired invitation', async () => {
    const [revoked, accepted, expired] = [
      await invited('a@acme.example'),
      await invited('b@acme.example'),
      await invited('c@acme.example'),
    ]
    expect((await revoke(revoked.id)).status).toBe(200)
    const person = await service.signIn()
    await giveEmail(service, person, { email: 'b@acme.example' })
    expect((await accept(service, person, accepted.token)).status).toBe(200)
    await send(revoked.job)
    await send(accepted.job)
    await send(expired.job, 8 * 24 * 3_600)
    expect(mailer.sent).toEqual([])
  })

  test('when the inviter is no longer a member', async () => {
    const manager = await joinOrganization(service, organization, { role: 'manager' })
    const { body } = await invite(
      service,
      { ...organization, owner: manager },
      { role: 'employee', email: 'x@acme.example' },
    )
    const { membershipId } = await membershipOf(service, organization, manager)
    const job = { organizationId: organization.id, invitationId: body.id }
    await revokeMember(service, organization, membershipId)
    await send(job)
    expect(mailer.sent).toEqual([])
  })

  test('to another organization', async () => {
    const other = await createOrganization(service)
    const { job } = await invited('new@acme.example')
    await send({ ...job, organizationId: other.id })
    expect(mailer.sent).toEqual([])
  })
})

test('a name cannot add a header line or a link', async () => {
  const own = await createOrganization(service)
  await service.database.asOwner('update organizations set name = $2 where id = $1', [
    own.id,
    'Acme\r\nBcc: eve@evil.example\r\nhttps://evil.example',
  ])
  const { job } = await invited('new@acme.example', own)
  await send(job)
  const [message] = mailer.sent
  expect(message?.subject).toBe('Invitation to Acme Bcc: eve@evil․example https: //evil․example')
  expect(message?.html).not.toMatch(/evil\.example/)
})

test('no job is enqueued where e-mail is not configured', async () => {
  const plain = await startTestApp({})
  const own = await createOrganization(plain)
  const email = 'new@acme.example'
  expect((await invite(plain, own, { role: 'employee', email })).status).toBe(201)
  expect(await queuedEmails(plain, 'send_invitation_email')).toEqual([])
  await plain.stop()
})
