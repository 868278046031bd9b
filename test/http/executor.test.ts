import { randomBytes } from 'node:crypto'
import { privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { open } from '#adapters/local/keystore.ts'
import { createLocalExecutor } from '#adapters/local/local-executor.ts'
import { watchExecutor } from '#executor/watch-executor.ts'
import type { ExecutorProvider } from '#ports/executor-provider.ts'
import { createDump } from '#test/security/dump.ts'
import { createOrganization, joinOrganization, type Organization } from '#test/support/app.ts'
import { auditTrail, freshKey, outcome } from '#test/support/steps.ts'
import { startTreasury, type Treasury } from '#test/support/treasury.ts'

const masterKey = randomBytes(32)
const GIFT_WEI = 10n ** 18n

let treasury: Treasury
/** The error that the provider throws while it is out of order. */
let trouble: Error | undefined
let provisioned = 0
let funded: string[] = []
let pays = true

const provider = (fund: (address: string) => Promise<unknown>): ExecutorProvider => {
  const local = createLocalExecutor({ masterKey })
  return {
    type: 'local',
    async provision(input) {
      provisioned += 1
      if (trouble) throw trouble
      return local.provision(input)
    },
    async fundGas({ address }) {
      funded.push(address)
      if (pays) await fund(address)
    },
    check: local.check,
    holdsKey: local.holdsKey,
    sign: local.sign,
  }
}

beforeAll(async () => {
  treasury = await startTreasury({
    replace: (chain) => ({
      executor: provider((address) =>
        chain.request('hardhat_setBalance', address, `0x${GIFT_WEI.toString(16)}`),
      ),
    }),
  })
})
afterAll(() => treasury.stop())

const provision = (
  { path, owner }: Organization,
  { token = owner.token, headers = freshKey() } = {},
) => treasury.service.call('POST', `${path}/executor/provision`, { token, headers })

const reconcile = ({ path, owner }: Organization, token = owner.token) =>
  treasury.service.call('POST', `${path}/executor/reconcile`, { token })

const read = async ({ path, owner }: Organization, token = owner.token) =>
  treasury.service.call('GET', `${path}/executor`, { token })

const statusOf = async (organization: Organization) => (await read(organization)).body

const untilState = (organization: Organization, state: string, timeout = 20_000) =>
  expect
    .poll(async () => (await statusOf(organization)).provisioning?.state, { timeout })
    .toBe(state)

describe('an executor', () => {
  test('does not exist at first, is then requested, and then active with gas', async () => {
    pays = true
    const organization = await createOrganization(treasury.service)
    expect(await statusOf(organization)).toEqual({
      binding: null,
      provisioning: null,
      otherBindings: [],
    })
    const { status, body } = await provision(organization)
    expect(status).toBe(202)
    expect(body.provisioning).toMatchObject({ state: 'requested', attempts: 0, failureCode: null })
    await untilState(organization, 'active')
    await expect
      .poll(async () => (await statusOf(organization)).binding.nativeBalanceWei)
      .toBe(GIFT_WEI.toString())
    const { binding, provisioning } = await statusOf(organization)
    expect(binding).toMatchObject({
      organizationId: organization.id,
      providerType: 'local',
      chainId: 31_337,
      status: 'active',
    })
    expect(provisioning).toMatchObject({ attempts: 1, failureCode: null })
    expect(funded).toContain(binding.address.toLowerCase())
  })

  test('is requested once: again is 409, and the same key replays the answer', async () => {
    const organization = await createOrganization(treasury.service)
    const headers = freshKey()
    const first = await provision(organization, { headers })
    expect(outcome(await provision(organization))).toBe('409 state_conflict')
    await untilState(organization, 'active')
    expect(outcome(await provision(organization))).toBe('409 state_conflict')
    const again = await provision(organization, { headers })
    expect(again.body).toEqual(first.body)
    expect(again.headers['idempotent-replayed']).toBe('true')
    expect(outcome(await provision(organization, { headers: {} as never }))).toBe(
      '400 idempotency_key_required',
    )
  })

  test('is created once for ten concurrent requests', async () => {
    const organization = await createOrganization(treasury.service)
    const before = provisioned
    const answers = await Promise.all(Array.from({ length: 10 }, () => provision(organization)))
    expect(answers.map(outcome).sort()).toEqual(['202', ...Array(9).fill('409 state_conflict')])
    await untilState(organization, 'active')
    expect(provisioned).toBe(before + 1)
  })

  test('cannot be reconciled before it exists', async () => {
    const organization = await createOrganization(treasury.service)
    expect(outcome(await reconcile(organization))).toBe('409 state_conflict')
  })

  test('rejects a request body', async () => {
    const { path, owner } = await createOrganization(treasury.service)
    for (const action of ['provision', 'reconcile']) {
      const answer = await treasury.service.call('POST', `${path}/executor/${action}`, {
        token: owner.token,
        headers: freshKey(),
        body: { address: `0x${'ab'.repeat(20)}` },
      })
      expect(outcome(answer)).toBe('400 validation_failed')
    }
  })

  test('is provisioned by owners, reconciled by managers, hidden from others', async () => {
    const { service } = treasury
    const organization = await createOrganization(service)
    const manager = await joinOrganization(service, organization, { role: 'manager' })
    const employee = await joinOrganization(service, organization, { role: 'employee' })
    const { token: stranger } = await service.signIn()
    for (const token of [manager.token, employee.token]) {
      expect(outcome(await provision(organization, { token }))).toBe('403 role_required')
    }
    expect((await read(organization, manager.token)).status).toBe(200)
    expect(outcome(await read(organization, employee.token))).toBe('403 role_required')
    expect(outcome(await reconcile(organization, employee.token))).toBe('403 role_required')
    for (const answer of [
      await provision(organization, { token: stranger }),
      await read(organization, stranger),
      await reconcile(organization, stranger),
    ]) {
      expect(outcome(answer)).toBe('403 forbidden')
    }
    await provision(organization)
    expect((await reconcile(organization, manager.token)).status).toBe(202)
    const { path } = organization
    expect(outcome(await service.call('GET', `${path}/executor`))).toBe('401 unauthenticated')
  })
})

describe('a failing provider', () => {
  test('is tried five times, and another five times after every reconcile', async () => {
    const { service } = treasury
    const { database } = service
    const organization = await createOrganization(service)
    trouble = new Error('the provider is down, and its secret is hunter2')
    await provision(organization)
    // The queue's backoff is skipped here.
    const hurry = () =>
      database.asOwner(`update graphile_worker._private_jobs set run_at = now() where attempts > 0`)
    const untilFailed = () =>
      expect
        .poll(
          async () => {
            await hurry()
            return (await statusOf(organization)).provisioning.state
          },
          { timeout: 20_000, interval: 200 },
        )
        .toBe('failed')
    await untilFailed()
    const failed = await statusOf(organization)
    expect(failed.binding).toBeNull()
    expect(failed.provisioning).toMatchObject({ attempts: 5, failureCode: 'provider_unavailable' })
    expect(JSON.stringify(failed)).not.toContain('hunter2')

    const before = provisioned
    const retried = await reconcile(organization)
    expect(retried.status).toBe(202)
    const { provisioning } = retried.body
    expect(provisioning).toMatchObject({ state: 'requested', attempts: 0, failureCode: null })
    await untilFailed()
    expect(provisioned - before).toBe(5)
    expect((await statusOf(organization)).provisioning).toMatchObject({ attempts: 5 })

    trouble = undefined
    await reconcile(organization)
    await untilState(organization, 'active', 20_000)
    await createDump(database)
    const trail = await auditTrail(database, organization.id)
    expect(trail.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['executor.requested', 'executor.failed', 'executor.provisioned']),
    )
    expect(JSON.stringify(trail)).not.toContain('hunter2')
  }, 60_000)
})

describe('the gas of an executor', () => {
  test('is reported low once when nobody funds it, and updated when gas arrives', async () => {
    const { service, chain } = treasury
    pays = false
    const organization = await createOrganization(service)
    await provision(organization)
    await untilState(organization, 'active')
    const { id: organizationId } = organization
    const lowEvents = async () =>
      (await dumpOf('live_events')).filter(
        (row) => row.includes(organizationId) && row.includes('executor_gas_low'),
      )
    await expect.poll(async () => (await lowEvents()).length).toBe(1)
    expect((await lowEvents())[0]).toContain('action_required')
    await watchExecutor(service.ctx, { organizationId })
    expect(await lowEvents()).toHaveLength(1)

    const { binding } = await statusOf(organization)
    await chain.request('hardhat_setBalance', binding.address, '0x1bc16d674ec80000')
    expect((await reconcile(organization)).status).toBe(202)
    await expect
      .poll(async () => (await statusOf(organization)).binding.nativeBalanceWei, {
        timeout: 20_000,
      })
      .toBe('2000000000000000000')
    pays = true
    funded = []
  }, 30_000)
})

let readDump: (() => Promise<Record<string, string[]>>) | undefined

const dumpOf = async (table: string): Promise<string[]> => {
  readDump ??= await createDump(treasury.service.database)
  return (await readDump())[`countersign.${table}`] ?? []
}

describe('the key of an executor', () => {
  test('decrypts only with the master key and its name, and is not stored plain', async () => {
    const { service } = treasury
    const organization = await createOrganization(service)
    await provision(organization)
    await untilState(organization, 'active')
    const { binding } = await statusOf(organization)
    const rows = await dumpOf('executor_bindings')
    const row = JSON.parse(rows.find((text) => text.includes(organization.id)) ?? '{}')
    const box = Buffer.from(row.provider_reference.slice(2), 'hex')
    const name = `executor:${organization.id}:${row.address}`
    const secret = open(masterKey, { name, box })
    expect(privateKeyToAddress(`0x${secret.toString('hex')}`)).toBe(binding.address)

    const everything = JSON.stringify(await (readDump as NonNullable<typeof readDump>)())
    for (const form of [
      secret.toString('hex'),
      secret.toString('base64'),
      secret.toString('latin1'),
    ]) {
      expect(everything.toLowerCase()).not.toContain(form.toLowerCase())
    }
    expect(() => open(masterKey, { name: `${name}0`, box })).toThrow()
    expect(() => open(randomBytes(32), { name, box })).toThrow()
  })

  test('differs between organizations', async () => {
    const rows = (await dumpOf('executor_bindings')).map((text) => JSON.parse(text))
    expect(rows.length).toBeGreaterThan(2)
    expect(new Set(rows.map(({ address }) => address)).size).toBe(rows.length)
    expect(new Set(rows.map((row) => row.provider_reference)).size).toBe(rows.length)
  })
})
