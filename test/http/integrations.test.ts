/** Integration status for operators, which never contains secrets. */
import { createECDH, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLog } from '#platform/log.ts'
import { type RpcProxy, startRpcProxy } from '#test/chain/rpc-proxy.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { startTestChain, type TestChain } from '#test/support/chain.ts'
import { look } from '#test/support/health.ts'
import { auditTrail, liftOwnersRowSecurity, outcome } from '#test/support/steps.ts'
import { startWorker } from '#worker.ts'

const path = '/v1/admin/integrations/status'
const canary = () => `canary${randomUUID().replaceAll('-', '')}`

const vapid = createECDH('prime256v1')
vapid.generateKeys()

const secrets: Record<string, string> = {
  'server secret': canary(),
  'key in the address of a node': canary(),
  'key in the address of the other node': canary(),
  'key of the model': canary(),
  'key in the address of a key set': canary(),
  'VAPID private key': vapid.getPrivateKey('base64url'),
}

let chain: TestChain
let node: RpcProxy
let service: TestApp
let token: string
const lines: string[] = []

beforeAll(async () => {
  chain = await startTestChain()
  node = await startRpcProxy(chain.rpcUrl)
  const good = `${node.url}/${secrets['key in the address of a node']}`
  const away = `http://127.0.0.1:1/${secrets['key in the address of the other node']}`
  const log = createLog({ level: 'trace', destination: { write: (line) => lines.push(line) } })
  service = await startTestApp({
    env: {
      ...chain.env,
      RPC_URLS: `${good},${away}`,
      SERVER_SECRET: secrets['server secret']?.padEnd(40, 'x'),
      ANALYST_URL: 'http://127.0.0.1:1/v1',
      ANALYST_MODEL: 'a-model',
      ANALYST_API_KEY: secrets['key of the model'],
      VAPID_PUBLIC_KEY: vapid.getPublicKey('base64url'),
      VAPID_PRIVATE_KEY: vapid.getPrivateKey('base64url'),
      VAPID_SUBJECT: 'mailto:ops@example.com',
    },
    replace: { log },
  })
  secrets['database password'] = new URL(service.database.url).password
  secrets['address of a node'] = node.url
  secrets['address of the key sets'] = service.ctx.config.identity.consumer.jwksUrl
  token = await service.operatorToken()
  await liftOwnersRowSecurity(service.database)
})
afterAll(async () => {
  await service.stop()
  await node.stop()
  await chain.stop()
})

const read = () => service.call('GET', path, { token })

type Integration = { id: string; provider: string; configured: boolean; severity: string }

describe('GET /v1/admin/integrations/status', () => {
  test('is for operators: 401 without a token, 403 for others', async () => {
    expect(outcome(await service.call('GET', path))).toBe('401 unauthenticated')
    const { token: consumer } = await service.signIn()
    const refused = await service.call('GET', path, { token: consumer })
    expect(outcome(refused)).toBe('403 realm_mismatch')
    const { accessToken } = await service.identity.issue({ realm: 'admin', subject: 'nobody' })
    const stranger = await service.call('GET', path, { token: accessToken })
    expect(outcome(stranger)).toBe('403 operator_required')
  })

  test('lists every integration with exactly the agreed fields', async () => {
    await look(service)
    const { status, body } = await read()
    expect(status).toBe(200)
    const ids = body.integrations.map(({ id }: Integration) => id)
    expect(ids).toEqual([
      ...['database', 'worker', 'chain', 'executor', 'analyst', 'push', 'identity', 'wallets'],
    ])
    for (const integration of body.integrations) {
      expect(Object.keys(integration).sort()).toEqual([
        ...['checkedAt', 'configured', 'id', 'name', 'provider', 'severity', 'summary'],
      ])
    }
    const of = (id: string) => body.integrations.find((each: Integration) => each.id === id)
    expect(of('chain')).toMatchObject({ configured: true, severity: 'degraded' })
    expect(of('analyst')).toMatchObject({ configured: true, provider: 'rules and a model' })
    expect(of('identity')).toMatchObject({ configured: true, severity: 'healthy' })
  })

  test('shows what is not configured without raising its severity', async () => {
    const plain = await startTestApp()
    const operator = await plain.operatorToken()
    await look(plain)
    const { body } = await plain.call('GET', path, { token: operator })
    const off = body.integrations.filter(({ configured }: Integration) => !configured)
    expect(off.map(({ id, severity }: Integration) => [id, severity])).toEqual([
      ['analyst', 'healthy'],
      ['push', 'healthy'],
    ])
    await plain.stop()
  })

  test('makes no outgoing request', async () => {
    await look(service)
    const asked = node.calls.length
    const fetched = globalThis.fetch
    const reached: unknown[] = []
    globalThis.fetch = (input) => {
      reached.push(input)
      return Promise.reject(new Error('outside'))
    }
    const answers = await Promise.all([read(), read(), read()])
    globalThis.fetch = fetched
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect([node.calls.length - asked, reached]).toEqual([0, []])
  })

  test("is recorded in the service's audit trail", async () => {
    await read()
    const trail = await auditTrail(service.database, null)
    expect(trail.at(-1)).toMatchObject({
      action: 'operator.read',
      actorRealm: 'admin',
      data: { operation: 'getIntegrationsStatus' },
    })
  })
})

describe('secrets never appear', () => {
  const leaksIn = (text: string) =>
    Object.entries(secrets).flatMap(([what, value]) => (text.includes(value) ? [what] : []))

  test('in the answer, the log, the metrics or the database, whatever fails', async () => {
    const worker = await startWorker(service.ctx)
    await look(service)
    const texts = [(await read()).text]
    node.trouble = () => 'hang up'
    await service.database.asOwner(`update health_rounds set due_at = now()`)
    await expect
      .poll(async () => {
        const { text, body } = await read()
        texts.push(text)
        return body.integrations.find(({ id }: Integration) => id === 'chain').severity
      })
      .toBe('action_required')
    await expect.poll(() => lines.join('')).toContain('cannot follow the chain')
    await worker.stop()
    const metrics = await service.ctx.metrics.registry.metrics()
    const books = await service.database.asOwner(
      `select to_jsonb(h)::text as row from service_health h
       union all select to_jsonb(a)::text from audit_events a
       union all select to_jsonb(l)::text from live_events l`,
    )
    expect(texts.length).toBeGreaterThan(1)
    expect(metrics).toContain('countersign_service_severity{service="chain"} 2')
    expect(leaksIn(texts.join('\n'))).toEqual([])
    expect(leaksIn(metrics)).toEqual([])
    expect(leaksIn(JSON.stringify(books))).toEqual([])
    expect(leaksIn(lines.join('\n'))).toEqual([])
    expect(lines.length).toBeGreaterThan(5)
  })
})
