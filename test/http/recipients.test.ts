import { randomUUID } from 'node:crypto'
import { getAddress } from 'viem'
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
  freshKey,
  outcome,
  randomAddress,
  tally,
  times,
} from '#test/support/steps.ts'

let service: TestApp

beforeAll(async () => {
  service = await sharedTestApp()
})

const add = ({ path, owner }: Organization, body: unknown) =>
  service.call('POST', `${path}/recipients`, { token: owner.token, body, headers: freshKey() })

const list = ({ path, owner }: Organization, query = '', token = owner.token) =>
  service.call('GET', `${path}/recipients${query}`, { token })

const deactivate = ({ path, owner }: Organization, id: string, token = owner.token) =>
  service.call('POST', `${path}/recipients/${id}/deactivate`, { token })

const payee = (change: Record<string, unknown> = {}) => ({
  label: 'Acme Supplies',
  address: randomAddress(),
  chainId: CHAIN_ID,
  ...change,
})

describe('POST {org}/recipients', () => {
  test('adds an active recipient', async () => {
    const organization = await createOrganization(service)
    const body = payee()
    const { status, body: added } = await add(organization, body)
    expect(status).toBe(201)
    expect(added).toEqual({
      id: expect.any(String),
      organizationId: organization.id,
      label: body.label,
      address: getAddress(body.address),
      chainId: CHAIN_ID,
      active: true,
    })
    expect((await list(organization)).body).toEqual({ recipients: [added], nextCursor: null })
  })

  const spellings: [string, (address: string) => string][] = [
    ['lower', (address) => address],
    ['upper', (address) => `0x${address.slice(2).toUpperCase()}`],
    ['checksummed', (address) => getAddress(address)],
  ]

  test.each(spellings)('returns an address in %s case in EIP-55', async (_name, spell) => {
    const organization = await createOrganization(service)
    const address = randomAddress()
    const { status, body } = await add(organization, payee({ address: spell(address) }))
    expect(status).toBe(201)
    expect(body.address).toBe(getAddress(address))
  })

  test('rejects the zero address with 400', async () => {
    const organization = await createOrganization(service)
    const answer = await add(organization, payee({ address: `0x${'0'.repeat(40)}` }))
    expect(outcome(answer)).toBe('400 validation_failed')
    expect((await list(organization)).body.recipients).toEqual([])
  })

  test.each([1, 31_338, Number.MAX_SAFE_INTEGER])(
    'rejects chain %d with 400 unsupported_chain',
    async (chainId) => {
      const organization = await createOrganization(service)
      expect(outcome(await add(organization, payee({ chainId })))).toBe('400 unsupported_chain')
      expect((await list(organization)).body.recipients).toEqual([])
    },
  )

  const goodLabels: [string, string][] = [
    ['1 character', 'A'],
    ['100 characters', 'A'.repeat(100)],
    ['100 code points outside the basic plane', '🦊'.repeat(100)],
    ['markup and SQL', `<b>'; delete from recipients; --`],
  ]
  test.each(goodLabels)('stores a label of %s unchanged', async (_name, label) => {
    const organization = await createOrganization(service)
    const { status, body } = await add(organization, payee({ label }))
    expect(status).toBe(201)
    expect(body.label).toBe(label)
    expect((await list(organization)).body.recipients).toEqual([body])
  })

  const bad: [string, unknown][] = [
    ['a label of 0 characters', payee({ label: '' })],
    ['a label of 101 characters', payee({ label: 'A'.repeat(101) })],
    ['a label of 101 code points', payee({ label: '🦊'.repeat(101) })],
    ['a label of blanks only', payee({ label: ' \u00a0 ' })],
    ['a new line in the label', payee({ label: 'Ac\nme' })],
    ['a number for a label', payee({ label: 7 })],
    ['an address of 39 digits', payee({ address: `0x${'a'.repeat(39)}` })],
    ['an address of 41 digits', payee({ address: `0x${'a'.repeat(41)}` })],
    ['an address without 0x', payee({ address: 'a'.repeat(40) })],
    ['an address with 0X', payee({ address: `0X${'a'.repeat(40)}` })],
    ['an address with a non-hexadecimal letter', payee({ address: `0x${'g'.repeat(40)}` })],
    ['an address with a trailing newline', payee({ address: `${randomAddress()}\n` })],
    ['a chain as text', payee({ chainId: String(CHAIN_ID) })],
    ['a chain with a fraction', payee({ chainId: 31_337.5 })],
    ['chain 0', payee({ chainId: 0 })],
    ['a chain past the safe integers', payee({ chainId: 2 ** 53 })],
    ['no chain', payee({ chainId: undefined })],
    ['an extra property', payee({ active: true })],
    ['no body', undefined],
  ]
  test.each(bad)('rejects %s with 400 and adds nothing', async (_name, body) => {
    const organization = await createOrganization(service)
    expect(outcome(await add(organization, body))).toBe('400 validation_failed')
    expect((await list(organization)).body.recipients).toEqual([])
  })

  test('is 409 duplicate for an address that is already active, in any case', async () => {
    const organization = await createOrganization(service)
    const address = randomAddress()
    await add(organization, payee({ address }))
    for (const spelling of [address, getAddress(address)]) {
      const answer = await add(organization, payee({ address: spelling, label: 'Another' }))
      expect(outcome(answer)).toBe('409 duplicate')
    }
    expect((await list(organization)).body.recipients).toHaveLength(1)
  })

  test('accepts the same address in another organization', async () => {
    const address = randomAddress()
    for (const organization of [
      await createOrganization(service),
      await createOrganization(service),
    ]) {
      expect(outcome(await add(organization, payee({ address })))).toBe('201')
    }
  })

  test('adds one recipient for twenty concurrent requests with one address', async () => {
    const organization = await createOrganization(service)
    const body = payee()
    const answers = await Promise.all(times(20, () => add(organization, body)))
    expect(tally(answers)).toEqual({ 201: 1, '409 duplicate': 19 })
    expect((await list(organization)).body.recipients).toHaveLength(1)
  })

  test('allows managers; employees are 403 role_required, non-members 403 forbidden', async () => {
    const organization = await createOrganization(service)
    const manager = await joinOrganization(service, organization, { role: 'manager' })
    const employee = await joinOrganization(service, organization, { role: 'employee' })
    const stranger = await service.signIn()
    const answers = []
    for (const { token } of [manager, employee, stranger]) {
      answers.push(await addRecipient(service, organization, { token }))
    }
    expect(answers.map(outcome)).toEqual(['201', '403 role_required', '403 forbidden'])
    expect((await list(organization)).body.recipients).toHaveLength(1)
  })

  test('is 401 without a token', async () => {
    const { path } = await createOrganization(service)
    const answer = await service.call('POST', `${path}/recipients`, { body: payee() })
    expect(outcome(answer)).toBe('401 unauthenticated')
  })
})

describe('GET {org}/recipients', () => {
  test('shows employees all recipients, including deactivated ones, newest first', async () => {
    const organization = await createOrganization(service)
    const made = []
    for (const label of ['One', 'Two', 'Three']) {
      made.unshift((await add(organization, payee({ label }))).body)
    }
    await deactivate(organization, made[1].id)
    const { token } = await joinOrganization(service, organization, { role: 'employee' })
    const { status, body } = await list(organization, '', token)
    expect(status).toBe(200)
    expect(body.recipients).toEqual([made[0], { ...made[1], active: false }, made[2]])
  })

  test('pages by limit and cursor, unaffected by new recipients', async () => {
    const organization = await createOrganization(service)
    for (let count = 0; count < 7; count += 1) await add(organization, payee())
    const all = (await list(organization)).body.recipients
    const first = (await list(organization, '?limit=3')).body
    await add(organization, payee())
    const second = (await list(organization, `?limit=3&cursor=${first.nextCursor}`)).body
    const third = (await list(organization, `?limit=3&cursor=${second.nextCursor}`)).body
    expect([...first.recipients, ...second.recipients, ...third.recipients]).toEqual(all)
    expect(third.nextCursor).toBeNull()
  })

  test.each(['limit=0', 'limit=201', 'cursor=short'])('?%s is 400', async (query) => {
    const organization = await createOrganization(service)
    expect(outcome(await list(organization, `?${query}`))).toBe('400 validation_failed')
  })

  test('is 403 for non-members and 401 without a token', async () => {
    const organization = await createOrganization(service)
    const { token } = await service.signIn()
    expect(outcome(await list(organization, '', token))).toBe('403 forbidden')
    const answer = await service.call('GET', `${organization.path}/recipients`)
    expect(outcome(answer)).toBe('401 unauthenticated')
  })
})

describe('POST {org}/recipients/{recipientId}/deactivate', () => {
  test('deactivates once, also for twenty concurrent requests; again is 409', async () => {
    const organization = await createOrganization(service)
    const { body: added } = await add(organization, payee())
    const answers = await Promise.all(times(20, () => deactivate(organization, added.id)))
    expect(tally(answers)).toEqual({ 200: 1, '409 state_conflict': 19 })
    const ended = answers.find(({ status }) => status === 200)
    expect(ended?.body).toEqual({ ...added, active: false })
    expect(outcome(await deactivate(organization, added.id))).toBe('409 state_conflict')
  })

  test('lets the address be added again as another recipient', async () => {
    const organization = await createOrganization(service)
    const address = randomAddress()
    const first = (await add(organization, payee({ address }))).body
    await deactivate(organization, first.id)
    const { status, body } = await add(organization, payee({ address }))
    expect(status).toBe(201)
    expect(body.id).not.toBe(first.id)
    const { recipients } = (await list(organization)).body
    expect(recipients.map(({ active }: { active: boolean }) => active)).toEqual([true, false])
  })

  test('is 404 for an unknown recipient or one of another organization', async () => {
    const organization = await createOrganization(service)
    const other = await createOrganization(service)
    const { id: foreign } = (await add(other, payee())).body
    for (const id of [randomUUID(), foreign]) {
      expect(outcome(await deactivate(organization, id))).toBe('404 not_found')
    }
    expect((await list(other)).body.recipients).toMatchObject([{ active: true }])
    expect(outcome(await deactivate(organization, 'mine'))).toBe('400 validation_failed')
  })

  test('allows managers; employees are 403 role_required', async () => {
    const organization = await createOrganization(service)
    const manager = await joinOrganization(service, organization, { role: 'manager' })
    const employee = await joinOrganization(service, organization, { role: 'employee' })
    const { id } = (await add(organization, payee())).body
    expect(outcome(await deactivate(organization, id, employee.token))).toBe('403 role_required')
    expect(outcome(await deactivate(organization, id, manager.token))).toBe('200')
  })
})
