/**
 * An attacker with an API process's database login and SERVER_SECRET can ask a worker for anything,
 * but no key of another account is exported.
 */
import { randomUUID } from 'node:crypto'
import { inspect } from 'node:util'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compose } from '#compose.ts'
import { readConfig } from '#platform/config/config.ts'
import { askWorker, sealValue } from '#platform/jobs/ask-worker.ts'
import { enqueue } from '#platform/jobs/jobs.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import {
  assertionOf,
  beginExport,
  type Ceremony,
  type Holder,
  makeHolder,
  makeRecipientKeys,
  makeServerWallet,
  type Proof,
  signPayload,
} from '#test/support/exports.ts'
import { type PrivyEmulator, startPrivyEmulator } from '#test/support/privy-emulator.ts'

let privy: PrivyEmulator
let service: TestApp
let thief: Holder

beforeAll(async () => {
  privy = await startPrivyEmulator()
  service = await startTestApp({ env: privy.env })
  thief = await makeHolder(service)
})
afterAll(async () => {
  await service.stop()
  await privy.stop()
})

const accountOf = async ({ token }: Holder): Promise<string> =>
  (await service.call('GET', '/v1/consumer/me', { token })).body.account.id

async function victimsRequest(): Promise<Ceremony> {
  const victim = await makeHolder(service)
  return beginExport(service, victim, await makeServerWallet(service, victim))
}

type Forged = {
  accountId: string
  walletId: string
  requestId: string
  proof: Proof
  name?: string
}

/** Enqueues the job and awaits its answer, as a stolen API process could. */
async function ask({ accountId, walletId, requestId, proof, name = requestId }: Forged) {
  const { ctx } = service
  const sealedProof = sealValue(ctx.secrets, { name: `export_proof:${name}`, value: proof })
  const actor = { realm: 'consumer', accountId, requestId: randomUUID() } as const
  const job = { actor, organizationId: null, walletId, requestId, sealedProof }
  return askWorker(ctx, (replyTo) =>
    ctx.db.transaction({ accountId }, (tx) =>
      enqueue(tx, 'export_wallet', { ...job, replyTo }, { attemptsMax: 1 }),
    ),
  ).then(
    () => 'exported',
    (error: { code?: string }) => error.code,
  )
}

const exportsAtPrivy = () => privy.seen.filter(({ operation }) => operation === 'export').length

describe("a stolen API process that asks for another account's key", () => {
  test("is refused with its own assertion about the owner's request", async () => {
    const { holder, wallet, requestId, proof } = await victimsRequest()
    const mfaAssertion = await assertionOf(service, thief, { nonce: requestId })
    const forged = { walletId: wallet.id, requestId, proof: { ...proof, mfaAssertion } }
    const accountId = await accountOf(holder)
    expect(await ask({ accountId, ...forged })).toBe('fresh_authentication_required')
  })

  test("is refused with a request in the owner's name and no assertion of theirs", async () => {
    const { holder, wallet } = await victimsRequest()
    const accountId = await accountOf(holder)
    const keys = makeRecipientKeys()
    const begun = await beginExport(service, holder, wallet, keys)
    const authorizationSignature = signPayload(begun.payload, keys.privateKey)
    const { requestId } = begun
    for (const mfaAssertion of [
      '',
      'e30.e30.',
      await assertionOf(service, thief, { nonce: requestId }),
    ]) {
      const proof = { recipientPublicKey: keys.publicKey, authorizationSignature, mfaAssertion }
      const code = await ask({ accountId, walletId: wallet.id, requestId, proof })
      expect(code).toBe('fresh_authentication_required')
    }
  })

  test("is refused with the owner's assertion for another request", async () => {
    const earlier = await victimsRequest()
    const { holder, wallet } = earlier
    const later = await beginExport(service, holder, wallet)
    const { requestId } = later
    const proof = { ...later.proof, mfaAssertion: earlier.proof.mfaAssertion }
    const accountId = await accountOf(holder)
    const forged = { accountId, walletId: wallet.id, requestId, proof }
    expect(await ask(forged)).toBe('fresh_authentication_required')
  })

  test("is refused with the owner's proof and its own recipient key", async () => {
    const { holder, wallet, requestId, proof } = await victimsRequest()
    const { publicKey: recipientPublicKey } = makeRecipientKeys()
    const accountId = await accountOf(holder)
    const forged = { walletId: wallet.id, requestId, proof: { ...proof, recipientPublicKey } }
    expect(await ask({ accountId, ...forged })).toBe('export_unusable')
    const changing = service.ctx.db.transaction({ accountId }, (tx) =>
      tx.query(sql`update wallet_exports set recipient_key_hash = ${Buffer.alloc(32)}
        where id = ${requestId}`),
    )
    await expect(changing).rejects.toMatchObject({ code: '42501' })
  })

  test('gets not_found in the name of its own account', async () => {
    const { wallet, requestId, proof } = await victimsRequest()
    const accountId = await accountOf(thief)
    expect(await ask({ accountId, walletId: wallet.id, requestId, proof })).toBe('not_found')
  })

  test('is refused with a proof sealed for another request', async () => {
    const { holder, wallet, requestId, proof } = await victimsRequest()
    const accountId = await accountOf(holder)
    const forged = { accountId, walletId: wallet.id, requestId, proof, name: randomUUID() }
    expect(await ask(forged)).toBe('fresh_authentication_required')
  })

  test('never reaches the provider', () => {
    expect(exportsAtPrivy()).toBe(0)
  })

  test("control: the same job with the owner's proof exports the key", async () => {
    const { holder, wallet, requestId, proof } = await victimsRequest()
    const accountId = await accountOf(holder)
    expect(await ask({ accountId, walletId: wallet.id, requestId, proof })).toBe('exported')
    expect(exportsAtPrivy()).toBe(1)
  })
})

describe('the database login of an API process', () => {
  test("cannot point its own wallet to another wallet's key", async () => {
    const { wallet } = await victimsRequest()
    const own = await makeServerWallet(service, thief)
    const accountId = await accountOf(thief)
    const pointing = service.ctx.db.transaction({ accountId }, (tx) =>
      tx.query(sql`update wallets set provider_reference = 'stolen' where id = ${own.id}`),
    )
    await expect(pointing).rejects.toMatchObject({ code: '42501' })
    const [row] = await service.database.asOwner<{ reference: Buffer }>(
      'select provider_reference as reference from wallets where id = $1',
      [wallet.id],
    )
    const inserting = service.ctx.db.transaction({ accountId }, (tx) =>
      tx.query(sql`
        insert into wallets (id, account_id, kind, chain_type, address, state, purpose, provider,
          provider_reference, idempotency_key, fingerprint, created_at)
        values (${randomUUID()}, ${accountId}, 'server', 'ethereum',
          ${`0x${'ab'.repeat(20)}`}, 'active', 'stolen', 'privy', ${row?.reference}, 'stolen',
          ${Buffer.alloc(32)}, now())`),
    )
    await expect(inserting).rejects.toMatchObject({ constraint: 'wallets_privy_reference' })
  })

  test("cannot take over another account's wallet", async () => {
    const { holder, wallet } = await victimsRequest()
    const accountId = await accountOf(holder)
    const moving = service.ctx.db.transaction({ accountId }, async (tx) =>
      tx.query(sql`update wallets set account_id = ${await accountOf(thief)}
        where id = ${wallet.id}`),
    )
    await expect(moving).rejects.toMatchObject({ code: '42501' })
  })
})

describe('the context of an API process', () => {
  test('can decrypt no key, whatever its environment holds in development', async () => {
    const { config } = service.ctx
    const env = {
      DATABASE_URL: config.databaseUrl,
      SERVER_SECRET: config.serverSecret,
      KEYSTORE_SECRET: 'a keystore secret that is long enough',
      RPC_URLS: config.chain.rpcUrls.join(','),
      TOKEN_ADDRESS: config.chain.tokenAddress,
      CONSUMER_ISSUER: 'https://one.example',
      CONSUMER_AUDIENCE: 'one',
      CONSUMER_JWKS_URL: config.identity.consumer.jwksUrl,
      ADMIN_ISSUER: 'https://two.example',
      ADMIN_AUDIENCE: 'two',
      ADMIN_JWKS_URL: config.identity.admin.jwksUrl,
      LOG_LEVEL: 'silent',
    }
    const api = compose(readConfig(env, { process: 'api' }))
    const key = { organizationId: randomUUID(), address: '0x', reference: Buffer.alloc(0) }
    expect(api.secrets.keystoreKey).toBeUndefined()
    expect(inspect(api.config, { depth: 9 })).not.toContain('keystore secret')
    await expect(api.executor.holdsKey(key)).rejects.toThrow('holds no keys')
    const creation = { walletId: randomUUID(), chainType: 'ethereum', isRepeat: false } as const
    await expect(api.walletProvider?.create(creation)).rejects.toThrow('holds no keys')
    await expect(api.fundingProvider?.attach({} as never)).rejects.toThrow('holds no keys')
  })
})
