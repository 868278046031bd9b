/**
 * README, "Who can take what": an attacker on an API server has its database login and
 * SERVER_SECRET. An attacker with a copy of the database has every row and no secret.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { open } from '#adapters/local/keystore.ts'
import { executorKeyName } from '#adapters/local/local-executor.ts'
import { walletKeyName } from '#adapters/local/local-wallets.ts'
import { start as startApi } from '#main.ts'
import { createIds, systemClock } from '#platform/clock.ts'
import { askWorker, sealValue } from '#platform/jobs/ask-worker.ts'
import { createOutcomes } from '#platform/jobs/await-outcome.ts'
import { deriveSecrets, type Secrets } from '#platform/secrets.ts'
import { failureOf } from '#platform/terminal.ts'
import { production } from '#test/processes/environment.ts'
import { cleanUp, onCleanUp } from '#test/processes/processes.ts'
import {
  beginExport,
  type Holder,
  makeServerWallet,
  type ServerWallet,
} from '#test/support/exports.ts'
import { giveRole, giveTokens } from '#test/support/funding.ts'
import {
  type PayingHouse,
  submitExpense,
  tokenBalance,
  untilState,
} from '#test/support/payments.ts'
import { enqueueJob, enterScope } from './forging.ts'
import { deployOwnVault, insertVaultRow } from './own-vault.ts'
import { connect, SECRETS, type StageHere, startStageHere, USDC } from './stage.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 })

let stage: StageHere
let house: PayingHouse
let client: pg.Client
let holder: Holder
/** Created for the organization, so that it may deposit. */
let wallet: ServerWallet
/** The payment of a paid automatic expense. */
let expenseId: string

const { SERVER_SECRET } = SECRETS

beforeAll(async () => {
  stage = await startStageHere()
  house = stage.house
  client = await connect(stage.logins.api, 'countersign_app')
  await enterScope(client, { organizationId: house.id, accountId: house.owner.accountId })
  holder = { realm: 'consumer', ...house.owner }
  wallet = await makeServerWallet(stage.service, holder, { organizationId: house.id })
  expenseId = await submitExpense(house, { requestedMode: 'automatic' })
  await untilState(house, expenseId, 'paid')
})
afterAll(cleanUp)

/** Both sealed keys, as stored in the tables. */
async function sealedKeys(reader: Pick<pg.Client, 'query'>) {
  const binding = await reader.query(
    'select address, provider_reference as box from executor_bindings',
  )
  const held = await reader.query('select provider_reference as box from wallets where id = $1', [
    wallet.id,
  ])
  const { address, box } = binding.rows[0]
  const ofWallet = walletKeyName({ walletId: wallet.id, address: wallet.address.toLowerCase() })
  return [
    { name: executorKeyName({ organizationId: house.id, address }), box: box as Buffer },
    { name: ofWallet, box: held.rows[0].box as Buffer },
  ]
}

const keystoreKeyFrom = (secret: string) =>
  deriveSecrets({ serverSecret: secret }).keystoreKey ?? new Uint8Array(32)

describe('an API server', () => {
  test("holds no key that decrypts the executor's or a server wallet's key", async () => {
    const secrets = deriveSecrets({ serverSecret: SERVER_SECRET, process: 'api' })
    expect(secrets.keystoreKey).toBeUndefined()
    expect(secrets.macKeys).toBeUndefined()
    for (const sealed of await sealedKeys(client)) {
      expect(() => open(keystoreKeyFrom(SERVER_SECRET), sealed)).toThrow()
      expect(() => open(secrets.exchangeKey, sealed)).toThrow()
    }
  })

  test('makes no MAC that a worker accepts', async () => {
    const { macKeys } = deriveSecrets({
      serverSecret: SERVER_SECRET,
      worker: { secret: SERVER_SECRET, previousSecret: undefined },
    })
    const { rows } = await client.query(
      `select p.mac_key_id as payment, t.mac_key_id as report from payments p
       join reports t on t.id = p.report_id where p.expense_id = $1`,
      [expenseId],
    )
    const { macKeys: workers } = deriveSecrets({
      serverSecret: SERVER_SECRET,
      worker: { secret: SECRETS.WORKER_SECRET, previousSecret: undefined },
    })
    expect(rows).toEqual([{ payment: workers?.current.id, report: workers?.current.id }])
    expect(macKeys?.current.id).not.toBe(workers?.current.id)
  })

  test.each(['KEYSTORE_SECRET', 'WORKER_SECRET'] as const)(
    'does not start in production with %s',
    async (name) => {
      const env = { ...production(stage.logins.api), [name]: SECRETS[name] }
      const refused = await startApi(env).catch(failureOf)
      expect(refused).toMatchObject({ code: 1 })
      expect(refused).toHaveProperty('stderr', expect.stringContaining(`must not have ${name}: `))
    },
  )

  test("exports no server wallet's key without a fresh assertion of its holder", async () => {
    const { requestId, proof } = await beginExport(stage.service, holder, wallet)
    const forge = (secrets: Secrets) => {
      const value = { ...proof, mfaAssertion: 'e30.e30.' }
      const sealedProof = sealValue(secrets, { name: `export_proof:${requestId}`, value })
      const outcomes = createOutcomes({ url: stage.logins.api })
      onCleanUp(() => outcomes.close())
      const own = { ...{ outcomes, secrets, clock: systemClock }, ids: createIds() }
      const { accountId } = house.owner
      const actor = { realm: 'consumer', accountId, requestId: randomUUID() }
      const payload = { actor, organizationId: house.id, walletId: wallet.id, requestId }
      return askWorker(own, async (replyTo) => {
        await enqueueJob(client, 'export_wallet', { ...payload, sealedProof, replyTo })
      })
    }
    const refused = { code: 'fresh_authentication_required' }
    const secrets = deriveSecrets({ serverSecret: SERVER_SECRET, process: 'api' })
    await expect(forge(secrets)).rejects.toMatchObject(refused)
    const { rows } = await client.query('select state from wallet_exports where id = $1', [
      requestId,
    ])
    expect(rows).toEqual([{ state: 'pending' }])
  })
})

describe("the API's database login", () => {
  test("cannot make the organization's wallet deposit into the attacker's vault", async () => {
    const thief = await stage.chain.wallet()
    await giveRole(house.treasury, house, wallet.id)
    await giveTokens(house.treasury, house, { to: wallet.address, baseUnits: 5n * USDC })
    await stage.chain.request('hardhat_setBalance', wallet.address, '0xde0b6b3a7640000')
    const address = await deployOwnVault(stage, client, thief)
    const vaultId = await insertVaultRow(client, house, { address, ownerAddress: thief.address })
    const controlId = await forgeControl({ vaultId, address, amount: 5n * USDC })
    const { rows } = await client.query('select state from funding_controls where id = $1', [
      controlId,
    ])
    expect(rows).toEqual([{ state: 'pending' }])
    expect(await tokenBalance(house, wallet.address as `0x${string}`)).toBe(5n * USDC)
  })
})

/**
 * Writes a funding control for the vault in the owner's name; returns once the worker has processed
 * it.
 */
async function forgeControl({
  vaultId,
  address,
  amount,
}: {
  vaultId: string
  address: string
  amount: bigint
}): Promise<string> {
  const controlId = randomUUID()
  const { accountId } = house.owner
  await client.query(
    `insert into funding_controls (id, organization_id, vault_id, account_id, wallet_id, provider,
       provider_policy_id, signer_id, state, chain_id, vault_address, max_amount, expires_at,
       created_at, updated_at)
     values ($1, $2, $3, $4, $5, 'local', 'deposit-into-' || $6, 'countersign-keystore', 'pending',
       31337, $6, $7, date_trunc('second', now()) + interval '1 hour', now(), now())`,
    [controlId, house.id, vaultId, accountId, wallet.id, address.toLowerCase(), String(amount)],
  )
  await enqueueJob(client, 'attach_funding', {
    ...{ organizationId: house.id, controlId },
    actor: { realm: 'consumer', accountId, requestId: randomUUID() },
    replyTo: { id: randomUUID(), until: new Date(Date.now() + 60_000).toISOString() },
  })
  await vi.waitFor(
    async () => {
      const left = `select from graphile_worker.jobs where task_identifier = 'attach_funding'`
      expect(await stage.database.asOwner(left)).toEqual([])
    },
    { timeout: 30_000, interval: 100 },
  )
  return controlId
}

describe('a copy of the database', () => {
  test('decrypts no key with anything that it contains', async () => {
    const { rows } = await client.query('select salt from organizations where id = $1', [house.id])
    const inside = [rows[0].salt, house.id, house.vault.id].map(String)
    const guesses = [...inside, '', randomBytes(32).toString('hex')].map(keystoreKeyFrom)
    const copy = {
      query: async (text: string, values?: unknown[]) => ({
        rows: await stage.database.asOwner(text, values),
      }),
    } as unknown as pg.Client
    for (const sealed of await sealedKeys(copy)) {
      for (const guess of guesses) expect(() => open(guess, sealed)).toThrow()
      // Control: the worker's secret does decrypt it.
      const held = open(keystoreKeyFrom(SECRETS.KEYSTORE_SECRET), sealed)
      expect(held).toHaveLength(32)
    }
  })

  test('contains no secret and no plaintext key in any row', async () => {
    const tables = await stage.database.asOwner<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname in ('countersign', 'graphile_worker')`,
    )
    const keys = (await sealedKeys(client)).map((sealed) =>
      open(keystoreKeyFrom(SECRETS.KEYSTORE_SECRET), sealed).toString('hex'),
    )
    for (const { name } of tables) {
      const rows = await stage.database.asOwner(`select to_jsonb(t)::text as row from ${name} t`)
      const text = JSON.stringify(rows).toLowerCase()
      for (const secret of [...Object.values(SECRETS), ...keys]) {
        expect(text.includes(secret.toLowerCase()), name).toBe(false)
      }
    }
  })
})
