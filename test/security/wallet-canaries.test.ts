/** Keys, ciphertexts, signatures and assertions of exports reach only their holder. */
import { randomUUID } from 'node:crypto'
import { privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLog } from '#platform/log.ts'
import { createDump } from '#test/security/dump.ts'
import { createOrganization, startTestApp, type TestApp } from '#test/support/app.ts'
import {
  beginExport,
  type Ceremony,
  type Holder,
  makeHolder,
  makeServerWallet,
  openExport,
  postWallet,
} from '#test/support/exports.ts'
import { type PrivyEmulator, startPrivyEmulator } from '#test/support/privy-emulator.ts'
import { ofBase58 } from '#test/support/solana.ts'
import { outcome } from '#test/support/steps.ts'

const lines: string[] = []
/** Everything that must not appear, by name. */
const canaries = new Map<string, string>()

/** In every encoding that a column or a log line could have. */
function watchBytes(what: string, bytes: Buffer): void {
  canaries.set(`${what}, hex`, bytes.toString('hex'))
  canaries.set(`${what}, base64`, bytes.toString('base64').replace(/=+$/, ''))
  canaries.set(`${what}, base64url`, bytes.toString('base64url'))
}

function watchProof({ proof, requestId }: Ceremony): void {
  watchBytes(`signature ${requestId}`, Buffer.from(proof.authorizationSignature, 'base64'))
  const [, payload = '', signature = ''] = proof.mfaAssertion.split('.')
  canaries.set(`assertion ${requestId}, payload`, payload)
  canaries.set(`assertion ${requestId}, signature`, signature)
}

let privy: PrivyEmulator
const services: Record<string, TestApp> = {}

const start = (env: Record<string, string>): Promise<TestApp> => {
  const log = createLog({ level: 'trace', destination: { write: (line) => lines.push(line) } })
  return startTestApp({ env, replace: { log } })
}

beforeAll(async () => {
  privy = await startPrivyEmulator()
  services.local = await start({})
  services.privy = await start(privy.env)
  canaries.set('app secret', String(privy.env.PRIVY_APP_SECRET))
  const authorizationKey = String(privy.env.PRIVY_AUTHORIZATION_KEY).replace('wallet-auth:', '')
  watchBytes('authorization key', Buffer.from(authorizationKey, 'base64'))
})
afterAll(async () => {
  for (const service of Object.values(services)) await service.stop()
  await privy.stop()
})

const serviceOf = (name: string): TestApp => {
  const service = services[name]
  if (!service) throw new Error(`There is no ${name}`)
  return service
}

describe.each(['local', 'privy'])('%s', (name) => {
  test.each(['ethereum', 'solana'] as const)(
    '%s: exports a wallet, with valid and invalid proofs',
    async (chainType) => {
      const service = serviceOf(name)
      const { owner, id: organizationId } = await createOrganization(service)
      const people: Holder[] = [{ realm: 'consumer', ...owner }, await makeHolder(service, 'admin')]
      for (const holder of people) {
        const body = { chainType, organizationId, idempotencyKey: randomUUID() }
        const wallet = await makeServerWallet(service, holder, body)
        const ceremony = await beginExport(service, holder, wallet)
        watchProof(ceremony)
        const swapped = ceremony.proof.mfaAssertion.split('.').reverse().join('.')
        await ceremony.complete({ mfaAssertion: swapped })
        const done = await ceremony.complete()
        expect(outcome(done)).toBe('200')
        await ceremony.complete()
        const { ciphertext, encapsulatedKey } = done.body
        watchBytes(`ciphertext ${ceremony.requestId}`, Buffer.from(ciphertext, 'base64'))
        watchBytes(`encapsulated ${ceremony.requestId}`, Buffer.from(encapsulatedKey, 'base64'))
        const key = await openExport(ceremony.keys, done.body)
        canaries.set(`key ${ceremony.requestId}`, key.replace(/^0x/, ''))
        const bytes = chainType === 'ethereum' ? Buffer.from(key.slice(2), 'hex') : ofBase58(key)
        watchBytes(`key ${ceremony.requestId}`, bytes)
        watchBytes(`seed ${ceremony.requestId}`, bytes.subarray(0, 32))
        if (chainType === 'ethereum') {
          expect(privateKeyToAddress(key as `0x${string}`)).toBe(wallet.address)
        }
      }
    },
  )
})

describe('failures', () => {
  test('of the provider do not show what it answered', async () => {
    const service = serviceOf('privy')
    const holder = await makeHolder(service)
    const said = `canary${randomUUID()}`
    canaries.set('what the provider said', said)
    const faults = [
      { status: 500, body: JSON.stringify({ error: said, private_key: said }) },
      { status: 400, body: JSON.stringify({ error: said, code: `${said} code` }) },
      { instead: { private_key: said, ciphertext: said } },
      { instead: said },
    ]
    for (const fault of faults) {
      privy.fail('create', fault)
      expect((await postWallet(service, holder)).status).toBe(503)
    }
    const wallet = await makeServerWallet(service, holder)
    for (const fault of faults) {
      const ceremony = await beginExport(service, holder, wallet)
      watchProof(ceremony)
      privy.fail('export', fault)
      const answer = await ceremony.complete()
      expect([503, 409]).toContain(answer.status)
      expect(answer.text).not.toContain(said)
    }
  })

  test('of our own while holding the key are 500', async () => {
    const service = serviceOf('local')
    const holder = await makeHolder(service)
    const wallet = await makeServerWallet(service, holder)
    const ceremony = await beginExport(service, holder, wallet)
    watchProof(ceremony)
    await service.database.asOwner('alter table wallets no force row level security')
    await service.database.asOwner(
      `update wallets set provider_reference = set_byte(provider_reference, 40, 7) where id = $1`,
      [wallet.id],
    )
    expect(outcome(await ceremony.complete())).toBe('500 internal')
  })
})

describe('the canaries', () => {
  const searched = (text: string) =>
    [...canaries].filter(([, value]) => text.includes(value)).map(([what]) => what)

  test('exist and can be found', () => {
    expect(canaries.size).toBeGreaterThan(80)
    for (const [what, value] of canaries) expect(value.length, what).toBeGreaterThan(15)
    const [, value = ''] = [...canaries][0] ?? []
    expect(searched(`before ${value} after`)).toHaveLength(1)
  })

  test('appear in no log line', () => {
    expect(lines.filter((line) => line.includes('"request"')).length).toBeGreaterThan(50)
    expect(searched(lines.join('\n'))).toEqual([])
  })

  test.each(['local', 'privy'])(
    'appear in no row, job or event of the %s database',
    async (name) => {
      const dump = await (await createDump(serviceOf(name).database))()
      const jobs = Object.entries(dump).filter(([table]) => table.startsWith('graphile_worker'))
      expect(jobs.flatMap(([, rows]) => rows).length).toBeGreaterThan(3)
      expect(dump['countersign.wallet_exports']?.length).toBeGreaterThan(3)
      expect(dump['countersign.live_events']?.length).toBeGreaterThan(3)
      expect(searched(JSON.stringify(dump))).toEqual([])
    },
  )

  test('appear in no metric', async () => {
    for (const service of Object.values(services)) {
      expect(searched(await service.ctx.metrics.registry.metrics())).toEqual([])
    }
  })
})
