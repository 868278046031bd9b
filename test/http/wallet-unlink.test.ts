import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Answer,
  createOrganization,
  joinOrganization,
  type Person,
  startTestApp,
  type TestApp,
} from '#test/support/app.ts'
import { membershipOf, outcome, randomAddress, times } from '#test/support/steps.ts'
import { linkKey, newKey, walletAudit, walletsOf } from '#test/support/wallet-links.ts'

let service: TestApp

beforeAll(async () => {
  service = await startTestApp({ env: { CONSUMER_APP_ORIGIN: 'https://app.example' } })
})
afterAll(() => service.stop())

const unlink = ({ token }: Person, walletId: string): Promise<Answer> =>
  service.call('POST', `/v1/consumer/wallets/${walletId}/unlink`, { token })

describe('POST /v1/consumer/wallets/{walletId}/unlink', () => {
  test('removes the wallet, and another account may link it', async () => {
    const person = await service.signIn()
    const key = newKey()
    const { body: wallet } = await linkKey(service, person, key)
    const answer = await unlink(person, wallet.id)
    expect([answer.status, answer.body]).toEqual([200, wallet])
    expect(await walletsOf(service, person)).toEqual([])
    const [event] = await walletAudit(service, {
      action: 'wallet.unlinked',
      walletId: wallet.id,
    })
    expect(event?.data).toMatchObject({ accountId: person.accountId, address: wallet.address })
    expect(outcome(await unlink(person, wallet.id))).toBe('404 not_found')
    expect(outcome(await linkKey(service, await service.signIn(), key))).toBe('201')
    expect(outcome(await linkKey(service, person, key))).toBe('409 wallet_conflict')
  })

  test('links again by a signature, as another wallet', async () => {
    const person = await service.signIn()
    const key = newKey()
    const first = (await linkKey(service, person, key)).body
    await unlink(person, first.id)
    const second = (await linkKey(service, person, key)).body
    expect(second.address).toBe(first.address)
    expect(second.id).not.toBe(first.id)
  })

  test('keeps a wallet of the ID token unlinked at later sessions', async () => {
    const wallets = [{ address: randomAddress(), kind: 'external' as const }]
    const person = await service.signIn(undefined, wallets)
    expect(outcome(await unlink(person, person.walletIds[0] ?? ''))).toBe('200')
    await service.signIn(person.subject, wallets)
    expect(await walletsOf(service, person)).toEqual([])
    const other = await service.signIn(undefined, wallets)
    expect(other.walletIds).toHaveLength(1)
    // No conflict with the account that has it now.
    await service.signIn(person.subject, wallets)
  })

  test('refuses a wallet with an active role in any organization with 409', async () => {
    const acme = await createOrganization(service)
    const person = await joinOrganization(service, acme, { role: 'manager' })
    const { body: wallet } = await linkKey(service, person)
    const { membershipId } = await membershipOf(service, acme, person)
    const body = { membershipId, walletId: wallet.id, role: 'approver' }
    const { token } = acme.owner
    const given = await service.call('POST', `${acme.path}/wallet-roles`, { token, body })
    expect(given.status).toBe(201)
    expect(outcome(await unlink(person, wallet.id))).toBe('409 state_conflict')
    await service.call('POST', `${acme.path}/wallet-roles/${given.body.id}/revoke`, { token })
    expect(outcome(await unlink(person, wallet.id))).toBe('200')
    // The former role stays in the list of members, without the wallet.
    const member = await membershipOf(service, acme, person)
    expect(member.wallets).toEqual([])
    expect(member.walletRoles).toMatchObject([{ walletId: wallet.id, active: false }])
  })

  test('never leaves a role on an unlinked wallet when both happen at once', async () => {
    const acme = await createOrganization(service)
    for (const _round of times(5, () => 0)) {
      const person = await joinOrganization(service, acme, { role: 'manager' })
      const { body: wallet } = await linkKey(service, person)
      const { membershipId } = await membershipOf(service, acme, person)
      const body = { membershipId, walletId: wallet.id, role: 'approver' }
      const { token } = acme.owner
      const [given, unlinked] = await Promise.all([
        service.call('POST', `${acme.path}/wallet-roles`, { token, body }),
        unlink(person, wallet.id),
      ])
      expect([given.status === 201, unlinked.status === 200].filter(Boolean)).toHaveLength(1)
    }
  })

  test('refuses server wallets, and does not find wallets of others', async () => {
    const person = await service.signIn()
    const made = await service.call('POST', '/v1/consumer/wallets/', {
      token: person.token,
      body: { purpose: 'Deposits', idempotencyKey: randomUUID() },
    })
    expect(made.status).toBe(201)
    expect(outcome(await unlink(person, made.body.id))).toBe('409 state_conflict')
    expect(outcome(await unlink(await service.signIn(), made.body.id))).toBe('404 not_found')
    expect(outcome(await unlink(person, randomUUID()))).toBe('404 not_found')
  })
})
