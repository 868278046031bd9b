/** What a worker's checks report when an integration really fails. */
import { randomBytes } from 'node:crypto'
import { exportJWK, generateKeyPair } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createTokenIdentity } from '#adapters/identity/token-identity.ts'
import { createLocalExecutor } from '#adapters/local/local-executor.ts'
import { insertBinding, updateBindingBalance } from '#executor/executor.store.ts'
import { systemClock } from '#platform/clock.ts'
import { type RpcProxy, startRpcProxy } from '#test/chain/rpc-proxy.ts'
import { createOrganization, startTestApp, type TestApp } from '#test/support/app.ts'
import { startTestChain, type TestChain } from '#test/support/chain.ts'
import {
  changesTold,
  expectFound,
  healthOf,
  type KeyServer,
  look,
  startKeyServer,
} from '#test/support/health.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'

let chain: TestChain
let nodes: [RpcProxy, RpcProxy]
let consumerKeys: KeyServer
let adminKeys: KeyServer
let service: TestApp

const keySet = async () => {
  const { publicKey } = await generateKeyPair('ES256', { extractable: true })
  return JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), alg: 'ES256', kid: '1' }] })
}

const realm = (name: string, { url: jwksUrl }: KeyServer) => ({
  issuer: name,
  audience: name,
  idAudiences: [name],
  jwksUrl,
})

beforeAll(async () => {
  chain = await startTestChain()
  nodes = [await startRpcProxy(chain.rpcUrl), await startRpcProxy(chain.rpcUrl)]
  consumerKeys = await startKeyServer(await keySet())
  adminKeys = await startKeyServer(await keySet())
  const env = { ...chain.env, RPC_URLS: nodes.map(({ url }) => url).join(',') }
  service = await startTestApp({ env })
  await liftOwnersRowSecurity(service.database)
})
afterAll(async () => {
  await service.stop()
  for (const node of nodes) await node.stop()
  await consumerKeys.stop()
  await adminKeys.stop()
  await chain.stop()
})
afterEach(() => {
  for (const node of nodes) node.heal()
})

describe('the chain', () => {
  const healthy = () => expectFound(service, 'chain', ['healthy', null])

  test('is healthy while both nodes answer and agree', async () => {
    const { summary, latencyMs } = await healthy()
    expect(summary).toBe('2 of 2 nodes answer and agree.')
    expect(latencyMs).toBeGreaterThanOrEqual(0)
  })

  test('is degraded while one node is unavailable, and healthy when it is back', async () => {
    nodes[1].trouble = () => 'hang up'
    const { summary } = await expectFound(service, 'chain', ['degraded', 'node_away'])
    expect(summary).toBe('1 of 2 nodes do not answer. Check the node provider.')
    nodes[1].heal()
    await healthy()
  })

  test('is action_required when no node answers', async () => {
    for (const node of nodes) node.trouble = () => 'hang up'
    await expectFound(service, 'chain', ['action_required', 'chain_away'])
  })

  test('is action_required when the nodes disagree', async () => {
    nodes[1].tamper = ({ method }, result) =>
      method === 'eth_getBlockByNumber' ? { ...result, hash: `0x${'ee'.repeat(32)}` } : result
    await expectFound(service, 'chain', ['action_required', 'nodes_disagree'])
  })

  test('is degraded when a node serves another chain', async () => {
    nodes[1].tamper = ({ method }, result) => (method === 'eth_chainId' ? '0x1' : result)
    await expectFound(service, 'chain', ['degraded', 'node_of_other_chain'])
  })

  test.each([
    ['90 seconds', 'degraded'],
    ['10 minutes', 'action_required'],
  ])('of which nothing was read for %s is %s', async (age, severity) => {
    const { database } = service
    await database.asOwner(
      `insert into chain_position values (true, 1, '0xaa', now(), now() - $1::interval)`,
      [age],
    )
    await expectFound(service, 'chain', [severity, 'follower_behind'])
    await database.asOwner('delete from chain_position')
  })
})

describe('identity', () => {
  const identity = () =>
    createTokenIdentity({
      realms: { consumer: realm('a', consumerKeys), admin: realm('b', adminKeys) },
      clock: systemClock,
    })
  const found = async () => {
    await look(service, { identity: identity() })
    const { severity, code } = await healthOf(service, 'identity')
    return [severity, code]
  }
  const good = () => [consumerKeys.answer, adminKeys.answer] as const

  test('is healthy while both key sets can be read', async () => {
    expect(await found()).toEqual(['healthy', null])
  })

  test('is degraded with one key server unavailable and action_required with both', async () => {
    const [consumer, admin] = good()
    consumerKeys.answer = 'hang up'
    expect(await found()).toEqual(['degraded', 'key_set_away'])
    adminKeys.answer = { status: 503, text: 'away' }
    expect(await found()).toEqual(['action_required', 'identity_away'])
    consumerKeys.answer = consumer
    adminKeys.answer = admin
    expect(await found()).toEqual(['healthy', null])
  })

  test.each([
    ['no JSON', 'hello'],
    ['no keys', '{"keys":[]}'],
    ['something else', '{"error":"who are you"}'],
    ['an invalid key', '{"keys":[{"kty":"EC","crv":"P-256","x":"1"}]}'],
    ['null', 'null'],
  ])('is action_required when %s is served as a key set', async (_what, text) => {
    const [, admin] = good()
    adminKeys.answer = { status: 200, text }
    expect(await found()).toEqual(['action_required', 'key_set_unusable'])
    adminKeys.answer = admin
  })
})

describe('executors and their keys', () => {
  const masterKey = new Uint8Array(randomBytes(32))
  const local = createLocalExecutor({ masterKey })
  let organizationId: string
  let bindingId: string

  const setGas = (nativeBalanceWei: bigint) =>
    service.ctx.db.transaction({ organizationId }, (tx) =>
      updateBindingBalance(tx, { organizationId, bindingId, nativeBalanceWei, at: new Date() }),
    )

  beforeAll(async () => {
    const { ctx } = service
    organizationId = (await createOrganization(service)).id
    bindingId = ctx.ids.next()
    const made = await local.provision({ organizationId, provisioningId: ctx.ids.next() })
    const [reference, address] = [made.reference, made.address.toLowerCase()]
    await ctx.db.transaction({ organizationId }, (tx) =>
      insertBinding(tx, {
        id: bindingId,
        organizationId,
        state: 'active',
        providerType: 'local',
        paysOwnGas: true,
        chainId: 31_337,
        address,
        reference,
        at: ctx.clock.now(),
      }),
    )
  })

  test('without gas are action_required, reported once to their organization', async () => {
    await setGas(10n ** 18n)
    await look(service)
    expect((await healthOf(service, 'executor', organizationId)).severity).toBe('healthy')
    const before = await changesTold(service)
    await setGas(0n)
    for (let round = 0; round < 3; round += 1) await look(service)
    const own = await healthOf(service, 'executor', organizationId)
    expect([own.severity, own.code]).toEqual(['action_required', 'gas_low'])
    const all = await healthOf(service, 'executor')
    expect([all.severity, all.code]).toEqual(['action_required', 'gas_low'])
    expect(all.summary).toContain('1 of 1 executors need attention')
    const change = { service: 'executor', severity: 'action_required' }
    expect((await changesTold(service)).slice(before.length)).toEqual([
      { organizationId: null, ...change, audience: 'admin' },
      { organizationId, ...change, audience: 'both' },
    ])
    await setGas(10n ** 18n)
    for (let round = 0; round < 3; round += 1) await look(service)
    const back = (await changesTold(service)).slice(before.length + 2)
    expect(back.map(({ severity }) => severity)).toEqual(['healthy', 'healthy'])
  })

  test('that are held are action_required', async () => {
    const { database } = service
    await database.asOwner('update executor_bindings set is_held = true')
    await expectFound(service, 'executor', ['action_required', 'executor_held'])
    await database.asOwner('update executor_bindings set is_held = false')
    await expectFound(service, 'executor', ['healthy', null])
  })

  test('are healthy when the secret decrypts them, and action_required otherwise', async () => {
    await look(service, { executor: local })
    expect((await healthOf(service, 'wallets')).severity).toBe('healthy')
    const other = createLocalExecutor({ masterKey: new Uint8Array(randomBytes(32)) })
    await look(service, { executor: other })
    const { severity, code } = await healthOf(service, 'wallets')
    expect([severity, code]).toEqual(['action_required', 'keys_unreadable'])
  })
})

test('a failing check makes its integration degraded, and the others still run', async () => {
  const broken = { ...service.ctx.chain, inspectNodes: () => Promise.reject(new Error('no')) }
  await look(service, { chain: broken })
  const { severity, code } = await healthOf(service, 'chain')
  expect([severity, code]).toEqual(['degraded', 'probe_failed'])
  expect((await healthOf(service, 'push')).code).toBe('not_configured')
})
