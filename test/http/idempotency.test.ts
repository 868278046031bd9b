import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  createOrganization,
  joinOrganization,
  type Organization,
  type TestApp,
} from '#test/support/app.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import {
  addRecipient,
  CHAIN_ID,
  invite,
  membershipOf,
  outcome,
  randomAddress,
  revokeMember,
} from '#test/support/steps.ts'

let service: TestApp

beforeAll(async () => {
  service = await sharedTestApp()
})

const keyed = (key: string) => ({ 'idempotency-key': key })

const recipientsOf = async ({ path, owner }: Organization) =>
  (await service.call('GET', `${path}/recipients`, { token: owner.token })).body.recipients

const invitationsOf = async ({ path, owner }: Organization) =>
  (await service.call('GET', `${path}/invitations`, { token: owner.token })).body.invitations

const keysOf = ({ owner }: Organization) =>
  service.database.asOwner<{ key: string; answer: unknown }>(
    'select key, answer from idempotency_keys where account_id = $1 order by created_at',
    [owner.accountId],
  )

const isReplay = ({ headers }: { headers: Record<string, unknown> }) =>
  headers['idempotent-replayed'] === 'true'

describe('the Idempotency-Key header', () => {
  const malformed: [string, Record<string, string>][] = [
    ['that is missing', {}],
    ['that is empty', keyed('')],
    ['of 256 characters', keyed('k'.repeat(256))],
    ['of 256 characters in quotes', keyed(`"${'k'.repeat(256)}"`)],
    ['of nothing in quotes', keyed('""')],
    ['with a space', keyed('a b')],
    ['with a space in quotes', keyed('"a b"')],
    ['with a tab', keyed('a\tb')],
    ['with CR LF', keyed('a\r\nb')],
    ['with a NUL', keyed('a\u0000b')],
    ['that is not ASCII', keyed('clé')],
    ['given twice', keyed('a, b')],
  ]
  test.each(malformed)('%s is 400 idempotency_key_required', async (_name, headers) => {
    const organization = await createOrganization(service)
    const answers = [
      await addRecipient(service, organization, { headers }),
      await invite(service, organization, { headers }),
    ]
    expect(answers.map(outcome)).toEqual(Array(2).fill('400 idempotency_key_required'))
    expect(await recipientsOf(organization)).toEqual([])
    expect(await invitationsOf(organization)).toEqual([])
    expect(await keysOf(organization)).toEqual([])
  })

  const wellFormed: [string, string][] = [
    ['of 1 character', '~'],
    ['of 255 characters', 'k'.repeat(255)],
    ['of 255 characters in quotes', `"${'k'.repeat(255)}"`],
    ['of punctuation', `!#$%&'()*+,-./:;<=>?@[]^_{|}`],
    ['that is one quote', '"'],
  ]
  test.each(wellFormed)('%s is accepted', async (_name, key) => {
    const organization = await createOrganization(service)
    const address = randomAddress()
    const first = await addRecipient(service, organization, { address, headers: keyed(key) })
    const again = await addRecipient(service, organization, { address, headers: keyed(key) })
    expect(outcome(first)).toBe('201')
    expect([again.text, isReplay(again)]).toEqual([first.text, true])
  })

  test('in quotes is the same key as without', async () => {
    const organization = await createOrganization(service)
    const address = randomAddress()
    const key = randomUUID()
    const quoted = keyed(`"${key}"`)
    const first = await addRecipient(service, organization, { address, headers: quoted })
    const again = await addRecipient(service, organization, { address, headers: keyed(key) })
    expect(again.text).toBe(first.text)
    expect(await keysOf(organization)).toMatchObject([{ key }])
  })

  test('is checked after the body, which fails first with validation_failed', async () => {
    const { path, owner } = await createOrganization(service)
    const answer = await service.call('POST', `${path}/invitations`, {
      token: owner.token,
      body: { role: 'owner' },
    })
    expect(outcome(answer)).toBe('400 validation_failed')
  })

  test('is checked after the role: an employee without a key is 403', async () => {
    const organization = await createOrganization(service)
    const { token } = await joinOrganization(service, organization, { role: 'employee' })
    const answer = await addRecipient(service, organization, { token, headers: {} })
    expect(outcome(answer)).toBe('403 role_required')
  })
})

describe('the same key and the same body', () => {
  test('replay the status and body, marked as a replay, with one effect', async () => {
    const organization = await createOrganization(service)
    const headers = keyed(randomUUID())
    const address = randomAddress()
    const first = await addRecipient(service, organization, { address, headers })
    expect(outcome(first)).toBe('201')
    expect(isReplay(first)).toBe(false)
    for (let count = 0; count < 3; count += 1) {
      const replay = await addRecipient(service, organization, { address, headers })
      expect(replay.status).toBe(201)
      expect(replay.text).toBe(first.text)
      expect(isReplay(replay)).toBe(true)
    }
    expect(await recipientsOf(organization)).toEqual([first.body])
    expect(await keysOf(organization)).toMatchObject([{ answer: first.body }])
  })

  test('are matched whatever the order and spelling of the JSON', async () => {
    const organization = await createOrganization(service)
    const { path, owner } = organization
    const headers = keyed(randomUUID())
    const address = randomAddress()
    const spellings = [
      JSON.stringify({ label: 'Zoë', address, chainId: CHAIN_ID }),
      JSON.stringify({ chainId: CHAIN_ID, address, label: 'Zoë' }, null, 2),
      `{"address":"${address}","chainId":31337.0,"label":"Zo\\u00eb"}`,
    ]
    const answers = []
    for (const raw of spellings) {
      const { token } = owner
      answers.push(await service.call('POST', `${path}/recipients`, { token, raw, headers }))
    }
    expect(answers.map(isReplay)).toEqual([false, true, true])
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  })

  test('are matched whatever the spelling of the path', async () => {
    const organization = await createOrganization(service)
    const { id, owner } = organization
    const headers = keyed(randomUUID())
    const body = { role: 'employee' }
    const answers = []
    for (const tail of [
      `${id}/invitations`,
      `${id.toUpperCase()}/invitations`,
      `${id}/invitations/`,
    ]) {
      const path = `/v1/consumer/organizations/${tail}`
      answers.push(await service.call('POST', path, { token: owner.token, body, headers }))
    }
    expect(answers.map(isReplay)).toEqual([false, true, true])
    expect(await invitationsOf(organization)).toHaveLength(1)
  })

  test('replay the first answer after the resource has changed', async () => {
    const organization = await createOrganization(service)
    const { path, owner } = organization
    const headers = keyed(randomUUID())
    const address = randomAddress()
    const first = await addRecipient(service, organization, { address, headers })
    const deactivation = `${path}/recipients/${first.body.id}/deactivate`
    expect(outcome(await service.call('POST', deactivation, { token: owner.token }))).toBe('200')
    const replay = await addRecipient(service, organization, { address, headers })
    expect(replay.text).toBe(first.text)
    expect(await recipientsOf(organization)).toMatchObject([{ active: false }])
  })

  test('are 403 for a member who was revoked, not a replay', async () => {
    const organization = await createOrganization(service)
    const person = await joinOrganization(service, organization, { role: 'manager' })
    const headers = keyed(randomUUID())
    const { token } = person
    const first = await invite(service, organization, { token, headers })
    expect(outcome(first)).toBe('201')
    const { membershipId } = await membershipOf(service, organization, person)
    await revokeMember(service, organization, membershipId)
    const replay = await invite(service, organization, { token, headers })
    expect(outcome(replay)).toBe('403 forbidden')
    expect(replay.text).not.toContain(first.body.inviteToken)
  })
})

describe('the same key and another body', () => {
  test('are 409 idempotency_key_reused and create nothing', async () => {
    const organization = await createOrganization(service)
    const headers = keyed(randomUUID())
    const first = await addRecipient(service, organization, { headers })
    const other = await addRecipient(service, organization, { headers })
    expect(outcome(other)).toBe('409 idempotency_key_reused')
    expect(await recipientsOf(organization)).toEqual([first.body])

    const role = keyed(randomUUID())
    await invite(service, organization, { role: 'employee', headers: role })
    const raised = await invite(service, organization, { role: 'manager', headers: role })
    expect(outcome(raised)).toBe('409 idempotency_key_reused')
    expect(await invitationsOf(organization)).toHaveLength(1)
  })
})

describe('a key is scoped to its account, route and path', () => {
  test('and is a different key on another route', async () => {
    const organization = await createOrganization(service)
    const headers = keyed(randomUUID())
    const answers = [
      await addRecipient(service, organization, { headers }),
      await invite(service, organization, { headers }),
    ]
    expect(answers.map(outcome)).toEqual(['201', '201'])
    expect(answers.map(isReplay)).toEqual([false, false])
  })

  test('and each route and each key replays its own answer', async () => {
    const organization = await createOrganization(service)
    const [headers, other] = [keyed(randomUUID()), keyed(randomUUID())]
    const [one, two] = [randomAddress(), randomAddress()]
    const ask = async () => [
      await addRecipient(service, organization, { address: one, headers }),
      await invite(service, organization, { headers }),
      await addRecipient(service, organization, { address: two, headers: other }),
      await invite(service, organization, { headers: other }),
    ]
    const first = await ask()
    const again = await ask()
    expect(first.map(isReplay)).toEqual([false, false, false, false])
    expect(again.map(isReplay)).toEqual([true, true, true, true])
    expect(again.map(({ text }) => text)).toEqual(first.map(({ text }) => text))
  })

  test('and is a different key in another organization of the same account', async () => {
    const one = await createOrganization(service)
    const two = await createOrganization(service, one.owner)
    const headers = keyed(randomUUID())
    const address = randomAddress()
    const answers = [
      await addRecipient(service, one, { address, headers }),
      await addRecipient(service, two, { address, headers }),
    ]
    expect(answers.map(outcome)).toEqual(['201', '201'])
    expect(answers.map(({ body }) => body.organizationId)).toEqual([one.id, two.id])
  })

  test('and is a different key for another account in the same organization', async () => {
    const organization = await createOrganization(service)
    const { token } = await joinOrganization(service, organization, { role: 'manager' })
    const headers = keyed(randomUUID())
    const first = await invite(service, organization, { headers })
    const second = await invite(service, organization, { token, headers })
    expect([outcome(second), isReplay(second)]).toEqual(['201', false])
    expect(second.body.inviteToken).not.toBe(first.body.inviteToken)
  })
})

describe('a refusal frees the key', () => {
  test('for the same request once it is possible, and for another request', async () => {
    const organization = await createOrganization(service)
    const { path, owner } = organization
    const address = randomAddress()
    const taken = await addRecipient(service, organization, { address })
    const headers = keyed(randomUUID())
    const refused = await addRecipient(service, organization, { address, headers })
    expect(outcome(refused)).toBe('409 duplicate')
    const other = keyed(randomUUID())
    const invalid = await addRecipient(service, organization, { label: ' ', headers: other })
    expect(outcome(invalid)).toBe('400 validation_failed')
    expect(await keysOf(organization)).toHaveLength(1)

    await service.call('POST', `${path}/recipients/${taken.body.id}/deactivate`, {
      token: owner.token,
    })
    const done = await addRecipient(service, organization, { address, headers })
    expect([outcome(done), isReplay(done)]).toEqual(['201', false])
    const reused = await addRecipient(service, organization, { headers: other })
    expect([outcome(reused), isReplay(reused)]).toEqual(['201', false])
  })
})
