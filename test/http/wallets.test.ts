/** Server wallets with keys kept by the service, in both realms. */
import { randomUUID } from 'node:crypto'
import { getAddress } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildApp } from '#app.ts'
import {
  createOrganization,
  joinOrganization,
  startTestApp,
  type TestApp,
} from '#test/support/app.ts'
import {
  type Holder,
  listWallets,
  makeHolder,
  postWallet,
  type Realm,
} from '#test/support/exports.ts'
import { ofBase58 } from '#test/support/solana.ts'
import {
  auditTrail,
  liftOwnersRowSecurity,
  liveTrail,
  membershipOf,
  outcome,
  randomAddress,
  revokeMember,
  tally,
  times,
} from '#test/support/steps.ts'
import { disableWallet } from '#wallets/disable-wallet.ts'

let service: TestApp

beforeAll(async () => {
  service = await startTestApp({ env: { ENVIRONMENT: 'rehearsal' } })
  await liftOwnersRowSecurity(service.database)
})
afterAll(() => service.stop())

const ZERO = '0x0000000000000000000000000000000000000000'

describe.each(['consumer', 'admin'] as const)('in the %s realm', (realm: Realm) => {
  let holder: Holder
  beforeAll(async () => {
    holder = await makeHolder(service, realm)
  })

  test('creates an Ethereum wallet that is active, exportable and listed', async () => {
    const { status, body } = await postWallet(service, holder, { purpose: 'Paying suppliers' })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(String),
      address: expect.stringMatching(/^0x/),
      kind: 'server',
      chainType: 'ethereum',
      purpose: 'Paying suppliers',
      creationEnvironment: 'rehearsal',
      lifecycleStatus: 'active',
      customExportAvailable: true,
    })
    expect(body.address).toBe(getAddress(body.address))
    expect(await listWallets(service, holder)).toContainEqual(body)
  })

  test('gives a Solana wallet the zero address and a native address', async () => {
    const { body } = await postWallet(service, holder, { chainType: 'solana' })
    expect(body).toMatchObject({ address: ZERO, chainType: 'solana', kind: 'server' })
    expect(ofBase58(body.nativeAddress)).toHaveLength(32)
    expect((await listWallets(service, holder))[0]).toEqual(body)
  })

  test('lists wallets in pages, newest first', async () => {
    const other = await makeHolder(service, realm)
    const made: string[] = []
    for (const n of [1, 2, 3]) {
      made.unshift((await postWallet(service, other, { purpose: `No. ${n}` })).body.id)
    }
    const url = `/v1/${realm}/wallets?limit=2`
    const first = await service.call('GET', url, other)
    const rest = await service.call('GET', `${url}&cursor=${first.body.nextCursor}`, other)
    const ids = [...first.body.wallets, ...rest.body.wallets].map(({ id }) => id)
    expect(ids).toEqual(made)
    expect(rest.body.nextCursor).toBeNull()
  })

  test('replays the wallet for the same key and body', async () => {
    const body = { purpose: 'Once', idempotencyKey: randomUUID() }
    const first = await postWallet(service, holder, body)
    const again = await postWallet(service, holder, body)
    expect(again.body).toEqual(first.body)
    expect(first.headers['idempotent-replayed']).toBeUndefined()
    expect(again.headers['idempotent-replayed']).toBe('true')
  })

  test.each([
    ['purpose', { purpose: 'Other' }],
    ['chain', { chainType: 'solana' }],
  ])('is 400 for the same key with another %s and creates nothing', async (_what, changed) => {
    const body = { purpose: 'Once', idempotencyKey: randomUUID() }
    await postWallet(service, holder, body)
    const before = await listWallets(service, holder)
    const refused = await postWallet(service, holder, { ...body, ...changed })
    expect(outcome(refused)).toBe('400 idempotency_key_reused')
    expect(await listWallets(service, holder)).toEqual(before)
  })

  test('creates one wallet for twenty concurrent equal requests', async () => {
    const other = await makeHolder(service, realm)
    const body = { purpose: 'At once', idempotencyKey: randomUUID() }
    const answers = await Promise.all(times(20, () => postWallet(service, other, body)))
    expect(tally(answers)).toEqual({ 201: 20 })
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(await listWallets(service, other)).toHaveLength(1)
    const replayed = answers.filter(({ headers }) => headers['idempotent-replayed'] === 'true')
    expect(replayed).toHaveLength(19)
  })

  const bad: [string, Record<string, unknown>][] = [
    ['no purpose', { purpose: undefined }],
    ['an empty purpose', { purpose: '' }],
    ['a purpose of 101 characters', { purpose: 'x'.repeat(101) }],
    ['a purpose with a control character', { purpose: 'a\u0007b' }],
    ['a purpose of blanks', { purpose: '   ' }],
    ['an unknown chain', { chainType: 'bitcoin' }],
    ['no key', { idempotencyKey: undefined }],
    ['an empty key', { idempotencyKey: '' }],
    ['a key with a blank', { idempotencyKey: 'a b' }],
    ['a key of 256 characters', { idempotencyKey: 'k'.repeat(256) }],
    ['a malformed organization id', { organizationId: 'acme' }],
    ['an unknown field', { address: randomAddress() }],
  ]
  test.each(bad)('rejects %s with 400 and creates nothing', async (_what, body) => {
    const before = await listWallets(service, holder)
    expect(outcome(await postWallet(service, holder, body))).toBe('400 validation_failed')
    expect(await listWallets(service, holder)).toEqual(before)
  })

  test("is 403 for an unknown organization or one that is not the caller's", async () => {
    const { id } = await createOrganization(service)
    const foreign = realm === 'consumer' ? [id, randomUUID()] : [randomUUID()]
    for (const organizationId of foreign) {
      const refused = await postWallet(service, holder, { organizationId })
      expect(outcome(refused)).toBe('403 forbidden')
    }
  })

  test('is 503 with Retry-After without a provider, and lists still work', async () => {
    const without = await buildApp({ ...service.ctx, walletProvider: undefined })
    const count = async () =>
      (await service.database.asOwner('select count(*)::int as n from wallets'))[0]?.n
    const before = await count()
    const headers = { authorization: `Bearer ${holder.token}` }
    const url = `/v1/${realm}/wallets/`
    const payload = { purpose: 'None', idempotencyKey: randomUUID() }
    const refused = await without.inject({ method: 'POST', url, headers, payload })
    expect([refused.statusCode, refused.json().error.code]).toEqual([503, 'dependency_unavailable'])
    expect(refused.headers['retry-after']).toBeTruthy()
    expect(await count()).toBe(before)
    const listed = await without.inject({ url, headers })
    expect(listed.json().wallets).toEqual(await listWallets(service, holder))
    await without.close()
  })
})

describe('a wallet for an organization', () => {
  test('is in the audit trail and live events, and members see it with its holder', async () => {
    const organization = await createOrganization(service)
    const { id: organizationId, owner } = organization
    const holder: Holder = { realm: 'consumer', ...owner }
    const { body: wallet } = await postWallet(service, holder, { organizationId })
    const trail = await auditTrail(service.database, organizationId)
    const told = trail.filter(({ aggregateType }) => aggregateType === 'wallet')
    expect(told.map(({ action }) => action)).toEqual(['wallet.requested', 'wallet.created'])
    expect(told[1]).toMatchObject({ aggregateId: wallet.id, actorAccountId: owner.accountId })
    const live = await liveTrail(service.database, organizationId)
    expect(live.filter(({ aggregateId }) => aggregateId === wallet.id)).toMatchObject([
      { kind: 'integration.changed', targetState: 'provisioning', audience: 'both' },
      { kind: 'integration.changed', targetState: 'active', code: 'wallet_created' },
    ])
    const { wallets } = await membershipOf(service, organization, owner)
    expect(wallets).toEqual([{ id: wallet.id, address: wallet.address, kind: 'server' }])
  })

  test('is authorised again on replay: 403 after a revocation', async () => {
    const organization = await createOrganization(service)
    const person = await joinOrganization(service, organization, { role: 'employee' })
    const holder: Holder = { realm: 'consumer', ...person }
    const body = { organizationId: organization.id, idempotencyKey: randomUUID() }
    expect(outcome(await postWallet(service, holder, body))).toBe('201')
    const { membershipId } = await membershipOf(service, organization, person)
    await revokeMember(service, organization, membershipId)
    expect(outcome(await postWallet(service, holder, body))).toBe('403 forbidden')
  })

  test('may be created by an operator for any existing organization', async () => {
    const { id: organizationId } = await createOrganization(service)
    const operator = await makeHolder(service, 'admin')
    expect(outcome(await postWallet(service, operator, { organizationId }))).toBe('201')
    const upper = { organizationId: organizationId.toUpperCase() }
    expect(outcome(await postWallet(service, operator, upper))).toBe('201')
  })
})

describe('beside linked wallets', () => {
  test('sessions list server wallets and leave linked ones unchanged', async () => {
    const address = randomAddress()
    const subject = randomUUID()
    const person = await service.signIn(subject, [{ address, kind: 'external' }])
    const holder: Holder = { realm: 'consumer', ...person }
    const { body: made } = await postWallet(service, holder)
    const linked = {
      id: person.walletIds[0],
      address: getAddress(address),
      kind: 'external',
      chainType: 'ethereum',
    }
    const me = await service.call('GET', '/v1/consumer/me', { token: person.token })
    expect(me.body.wallets).toEqual([linked, made])
    expect(await listWallets(service, holder)).toEqual([made, linked])
    const again = await service.signIn(subject, [{ address, kind: 'external' }])
    expect(again.walletIds).toEqual([linked.id, made.id])
  })

  test("an identity cannot link another account's server wallet", async () => {
    const { body: made } = await postWallet(service, await makeHolder(service))
    const issued = await service.identity.issue({
      realm: 'consumer',
      subject: randomUUID(),
      wallets: [{ address: made.address, kind: 'embedded' }],
    })
    const session = await service.call('PUT', '/v1/consumer/session', {
      token: issued.accessToken,
      body: { identityToken: issued.identityToken },
    })
    expect(outcome(session)).toBe('409 wallet_conflict')
  })

  test('a role can be assigned to a server wallet of the same organization only', async () => {
    const organization = await createOrganization(service)
    const { owner, ownerMembershipId: membershipId, path } = organization
    const holder = { realm: 'consumer', ...owner } as const
    const { id: elsewhere } = await createOrganization(service, owner)
    const give = async (made: Record<string, string>) => {
      const { body: wallet } = await postWallet(service, holder, made)
      const body = { membershipId, walletId: wallet.id, role: 'treasury_owner' }
      const given = await service.call('POST', `${path}/wallet-roles`, { token: owner.token, body })
      return { given, wallet }
    }
    const { given, wallet } = await give({ organizationId: organization.id })
    expect([given.status, given.body.address]).toEqual([201, wallet.address])
    expect(outcome((await give({})).given)).toBe('403 forbidden')
    expect(outcome((await give({ organizationId: elsewhere })).given)).toBe('403 forbidden')
  })
})

describe('a wallet that is not ready', () => {
  test('is hidden from lists, sessions and members, and takes no role', async () => {
    const organization = await createOrganization(service)
    const { owner, ownerMembershipId: membershipId, path } = organization
    const walletId = randomUUID()
    await service.database.asOwner(
      `insert into wallets (id, account_id, kind, chain_type, state, purpose, provider,
         idempotency_key, fingerprint, created_at)
       values ($1, $2, 'server', 'ethereum', 'provisioning', 'x', 'local', 'k', sha256(''), now())`,
      [walletId, owner.accountId],
    )
    expect(await listWallets(service, { realm: 'consumer', ...owner })).toEqual([])
    const me = await service.call('GET', '/v1/consumer/me', { token: owner.token })
    expect(me.body.wallets).toEqual([])
    expect((await membershipOf(service, organization, owner)).wallets).toEqual([])
    const body = { membershipId, walletId, role: 'approver' }
    const given = await service.call('POST', `${path}/wallet-roles`, { token: owner.token, body })
    expect(outcome(given)).toBe('403 forbidden')
  })

  test('stays in the list as disabled once it was disabled', async () => {
    const holder = await makeHolder(service)
    const { body: wallet } = await postWallet(service, holder)
    expect(await disableWallet(service.ctx, wallet.id)).toBe(true)
    expect(await disableWallet(service.ctx, wallet.id)).toBe(false)
    expect(await listWallets(service, holder)).toEqual([
      { ...wallet, lifecycleStatus: 'disabled', customExportAvailable: false },
    ])
  })
})
