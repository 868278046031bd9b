/** `npm run keys -- rotate`: every key ends up under the new secret, even after an interruption. */
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createLocalExecutor } from '#adapters/local/local-executor.ts'
import { createLocalFunding } from '#adapters/local/local-funding.ts'
import { createLocalWallets } from '#adapters/local/local-wallets.ts'
import { createStandardWebhooks } from '#adapters/webhooks/standard-webhooks.ts'
import { findControl, findControlWallet } from '#funding/controls.store.ts'
import { asAttached } from '#funding/funding-provider.ts'
import { deriveSecrets, masterKeysOf } from '#platform/secrets.ts'
import { productionWorker } from '#test/processes/environment.ts'
import { cleanUp, onCleanUp, runScript } from '#test/processes/processes.ts'
import { createOrganization, startTestApp, type TestApp } from '#test/support/app.ts'
import { writeVaults } from '#test/support/books.ts'
import {
  beginExport,
  controls,
  type Holder,
  makeHolder,
  makeServerWallet,
  openExport,
  type ServerWallet,
} from '#test/support/exports.ts'

import { writeFunding } from '#test/support/funding-books.ts'
import { addWebhook } from '#test/webhooks/steps.ts'
import { webhookSecretName } from '#webhooks/webhook-secrets.ts'
import { listSigningSecrets } from '#webhooks/webhooks.store.ts'

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })

/** As in `test/support/app.ts`. */
const serverSecret = '8Jm2pQxV0tYwLr5cN1hZbK7uGd3eSfA9iRoT6yWnXqE='
const [first, second] = [randomBytes(32), randomBytes(32)].map((b) => b.toString('base64'))

let service: TestApp
let holder: Holder
const wallets: ServerWallet[] = []
let executor: { organizationId: string; address: string }
let funding: { organizationId: string; vaultId: string }
let webhookId: string

beforeAll(async () => {
  service = await startTestApp()
  onCleanUp(() => service.stop())
  holder = await makeHolder(service)
  for (const chainType of ['ethereum', 'solana', 'ethereum']) {
    wallets.push(await makeServerWallet(service, holder, { chainType }))
  }
  const organization = await createOrganization(service)
  const { id: organizationId, owner, ownerMembershipId } = organization
  const hook = { url: 'https://93.184.216.34/hooks' }
  webhookId = (await addWebhook(service, organization, hook)).id
  const member = { organizationId, membershipId: ownerMembershipId, accountId: owner.accountId }
  const [vaultId = ''] = (await writeVaults(service, organizationId)).ids
  await writeFunding(service, { ...member, vaultId })
  const { current: masterKey } = masterKeysOf(service.ctx.secrets)
  const ids = { organizationId, provisioningId: organizationId }
  const { address, reference } = await createLocalExecutor({ masterKey }).provision(ids)
  await service.database.asOwner(
    `insert into executor_bindings (id, organization_id, provider_type, address, chain_id, state,
       provider_reference, created_at) values ($1, $2, 'local', lower($3), 1, 'active', $4, now())`,
    [owner.accountId, organizationId, address, reference],
  )
  executor = { organizationId, address }
  funding = { organizationId, vaultId }
})
afterAll(cleanUp)

async function rotate(env: Record<string, string | undefined>) {
  const set = Object.entries(env).flatMap(([name, value]) => (value ? [[name, value]] : []))
  const running = runScript(
    'src/cli/keys.ts',
    {
      ...productionWorker(service.database.url),
      SERVER_SECRET: serverSecret,
      ...Object.fromEntries(set),
    },
    ['rotate'],
  )
  const { code } = await running.ended
  return { code, said: (running.stdout() + running.stderr()).trim() }
}

const keysOf = (secret: string | undefined, previousSecret?: string) => {
  const keystore = { secret, previousSecret }
  return masterKeysOf(deriveSecrets({ serverSecret, keystore }))
}

/** Whether a service with these keys can use everything. */
async function works(keys: ReturnType<typeof keysOf>): Promise<boolean> {
  const before = service.ctx.walletProvider
  service.ctx.walletProvider = createLocalWallets(keys)
  const results: boolean[] = []
  for (const wallet of wallets) {
    await service.database.asOwner('delete from wallet_exports')
    const ceremony = await beginExport(service, holder, wallet)
    const { status, body } = await ceremony.complete()
    results.push(status === 200 && (await controls(await openExport(ceremony.keys, body), wallet)))
  }
  service.ctx.walletProvider = before
  const [row] = await service.database.asOwner<{ reference: Buffer }>(
    'select provider_reference as reference from executor_bindings',
  )
  const { current: masterKey, previous: previousKey } = keys
  const signed = await createLocalExecutor({ masterKey, previousKey })
    .sign({
      ...executor,
      reference: row?.reference ?? Buffer.alloc(0),
      chainId: 1,
      nonce: 0,
      fees: { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n },
      call: { vaultAddress: executor.address, data: '0x', gasLimit: 1n },
    })
    .then(
      () => true,
      () => false,
    )
  results.push(signed, await depositPolicyOpens(keys), await webhookSecretOpens(keys))
  return results.every(Boolean)
}

async function depositPolicyOpens(keys: ReturnType<typeof keysOf>): Promise<boolean> {
  const { clock, db } = service.ctx
  const found = await db.transaction(funding, async (tx) => {
    const control = await findControl(tx, funding)
    const wallet = control && (await findControlWallet(tx, control))
    return wallet && asAttached(control, wallet)
  })
  if (!found) throw new Error('There is no funding control')
  const limits = { chainId: found.rule.chainId, maxAmount: 1n, lifetimeSeconds: 1 }
  return (await createLocalFunding({ keys, clock, limits }).readBack(found)).outcome === 'equal'
}

async function webhookSecretOpens(keys: ReturnType<typeof keysOf>): Promise<boolean> {
  const { clock, db } = service.ctx
  const { organizationId } = funding
  const [row] = await db.transaction({ organizationId }, (tx) =>
    listSigningSecrets(tx, { organizationId, webhookId, at: clock.now() }),
  )
  if (!row) throw new Error('There is no webhook secret')
  const name = webhookSecretName({ organizationId, webhookId, secretId: row.id })
  const sender = createStandardWebhooks({ keys, clock, allowsLoopback: false })
  return sender.reseal({ name, sealed: row.sealed }).then(
    () => true,
    () => false,
  )
}

describe('npm run keys -- rotate', () => {
  // Only to reset the request counters: the command itself is subject to the owner's policies.
  beforeAll(() =>
    service.database.asOwner('alter table wallet_exports no force row level security'),
  )

  test('prints its usage', async () => {
    const running = runScript('src/cli/keys.ts', productionWorker(service.database.url), ['turn'])
    expect((await running.ended).code).toBe(1)
    expect(running.stderr()).toContain('Usage: npm run keys -- rotate')
  })

  test('with a new secret but without the old one changes nothing', async () => {
    const { code, said } = await rotate({ KEYSTORE_SECRET: first })
    expect(code).toBe(1)
    expect(said).toMatch(/^7 keys can be opened with neither secret; 0 resealed, 0 already/)
    expect(said).toContain(wallets[0]?.id)
    expect(await works(keysOf(undefined))).toBe(true)
  })

  test('moves from the derived secret to its own; repeating it finds nothing to do', async () => {
    expect(await works(keysOf(first, serverSecret))).toBe(true)
    const env = { KEYSTORE_SECRET: first, KEYSTORE_SECRET_PREVIOUS: serverSecret }
    expect(await rotate(env)).toEqual({
      code: 0,
      said:
        'Every key opens under the current secret: ' +
        '7 resealed, 0 already under the current secret.',
    })
    expect(await works(keysOf(first))).toBe(true)
    expect((await rotate(env)).said).toContain('0 resealed, 7 already')
    expect((await rotate({ KEYSTORE_SECRET: first })).said).toContain('0 resealed, 7 already')
  })

  test('killed by kill -9 leaves every key usable and can be resumed', async () => {
    const env = { KEYSTORE_SECRET: second ?? '', KEYSTORE_SECRET_PREVIOUS: first ?? '' }
    // The second wallet's row is locked, so that the command waits between two keys.
    await service.database.asOwner(`
      create function hold() returns trigger language plpgsql as $$ begin
        perform pg_advisory_xact_lock(99); return new; end $$;
      create trigger hold before update on wallets for each row
        when (old.id = '${wallets[1]?.id}') execute function hold()`)
    await service.database.asOwner('select pg_advisory_lock(99)')
    const running = runScript(
      'src/cli/keys.ts',
      { ...productionWorker(service.database.url), SERVER_SECRET: serverSecret, ...env },
      ['rotate'],
    )
    await expect
      .poll(
        async () =>
          (
            await service.database.asOwner(
              `select 1 from pg_locks where locktype = 'advisory' and objid = 99 and not granted`,
            )
          ).length,
        { timeout: 30_000 },
      )
      .toBe(1)
    running.kill('SIGKILL')
    await running.ended
    await service.database.asOwner('drop trigger hold on wallets')
    expect(await works(keysOf(second, first))).toBe(true)
    const { said } = await rotate(env)
    expect(said).toContain('6 resealed, 1 already under the current secret.')
    expect(await works(keysOf(second))).toBe(true)
  })
})
