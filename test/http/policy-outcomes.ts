/** POST policy-intents/{intentId}/confirm: every outcome of a policy transaction. */
import { beforeAll, describe, expect, test } from 'vitest'
import { oneTreasury } from '#test/http/one-treasury.ts'
import { outcome } from '#test/support/steps.ts'
import {
  configurePolicy,
  deployVault,
  type House,
  openHouse,
  overviewOf,
  preparePolicy,
  provisionExecutor,
  randomHash,
  type Treasury,
  type VaultRecord,
} from '#test/support/treasury.ts'
import { settleIntentJob } from '#treasury/settle-intent.ts'

let treasury: Treasury
let house: House
let vault: VaultRecord

beforeAll(async () => {
  treasury = await oneTreasury()
  house = await openHouse(treasury)
  vault = await deployVault(treasury, house)
  await provisionExecutor(treasury, house)
})

async function prepared(terms: Record<string, unknown> = {}, { id } = vault) {
  const answer = await preparePolicy(treasury, house, { vaultId: id, terms })
  expect(answer.status).toBe(201)
  return answer.body
}

const confirm = (intentId: string, transactionHash: string, vaultId = vault.id) =>
  treasury.service.call(
    'POST',
    `${house.path}/vaults/${vaultId}/policy-intents/${intentId}/confirm`,
    { token: house.owner.token, body: { transactionHash } },
  )

describe('POST policy-intents/{intentId}/confirm', () => {
  test('confirms a mined policy with its version, and repeats the answer', async () => {
    const { id, transaction } = await prepared()
    const hash = await house.ownerWallet.send(transaction)
    const { status, body } = await confirm(id, hash)
    expect(status).toBe(200)
    expect(body).toMatchObject({ state: 'confirmed', policyVersion: 1, transactionHash: hash })
    expect((await confirm(id, hash)).body).toEqual(body)
    expect(outcome(await confirm(id, randomHash()))).toBe('409 state_conflict')
    expect((await overviewOf(treasury, house)).policy).toMatchObject({
      version: 1,
      chainTransactionHash: hash,
    })
  })

  test.each([
    ['no hash', {}],
    ['a short hash', { transactionHash: '0x1' }],
    ['an unknown field', { transactionHash: randomHash(), policyVersion: 9 }],
  ])('rejects %s with 400', async (_name, body) => {
    const { id } = await prepared()
    const url = `${house.path}/vaults/${vault.id}/policy-intents/${id}/confirm`
    const answer = await treasury.service.call('POST', url, { token: house.owner.token, body })
    expect(outcome(answer)).toBe('400 validation_failed')
  })

  test('is 404 for an intent of another vault or organization, or an unknown one', async () => {
    const second = await deployVault(treasury, house, 'Second')
    const { id } = await prepared()
    expect(outcome(await confirm(id, randomHash(), second.id))).toBe('404 not_found')
    const nobody = '00000000-0000-7000-8000-000000000000'
    expect(outcome(await confirm(nobody, randomHash()))).toBe('404 not_found')
    const other = await openHouse(treasury)
    const theirs = await deployVault(treasury, other)
    await provisionExecutor(treasury, other)
    const foreign = await preparePolicy(treasury, other, { vaultId: theirs.id })
    expect(outcome(await confirm(foreign.body.id, randomHash(), theirs.id))).toBe('404 not_found')
    expect(outcome(await confirm(foreign.body.id, randomHash()))).toBe('404 not_found')
  })

  test('leaves an unknown hash submitted, and the vault cannot be archived meanwhile', async () => {
    const { database, ctx } = treasury.service
    const [, second] = [vault, await deployVault(treasury, house, 'Third')]
    const { id } = await prepared({}, second)
    expect((await confirm(id, randomHash(), second.id)).body).toMatchObject({
      state: 'submitted',
      policyVersion: null,
    })
    const archive = () =>
      treasury.service.call('POST', `${house.path}/vaults/${second.id}/archive`, {
        token: house.owner.token,
      })
    expect(outcome(await archive())).toBe('409 state_conflict')
    await database.asOwner(
      `update policy_intents set submitted_at = now() - interval '25 hours' where id = $1`,
      [id],
    )
    await settleIntentJob(ctx, { organizationId: house.id, intentId: id, kind: 'policy' })
    const [row] = await database.asOwner(
      'select state, failure_code from policy_intents where id = $1',
      [id],
    )
    expect(row).toEqual({ state: 'failed', failure_code: 'transaction_not_found' })
    expect((await archive()).status).toBe(200)
  })

  test.each([
    [
      'a transaction with the policy of another intent',
      async () => (await prepared({ lifetimeCap: '9000000' })).transaction,
    ],
    [
      'a call to another vault',
      async ({ transaction }: { transaction: Record<string, string> }) => {
        const other = await deployVault(treasury, house, 'Elsewhere')
        return { ...transaction, to: other.address }
      },
    ],
  ])('rejects %s, although it was mined', async (_name, instead) => {
    const intent = await prepared()
    const hash = await house.ownerWallet.send((await instead(intent)) as never)
    await treasury.chain.mined(hash)
    expect((await confirm(intent.id, hash)).body).toMatchObject({
      state: 'rejected',
      failureCode: 'transaction_mismatch',
      policyVersion: null,
    })
  })

  test('rejects the transaction of another sender', async () => {
    const { id, transaction } = await prepared()
    const stranger = await treasury.chain.wallet()
    const hash = await stranger.send(transaction)
    expect((await confirm(id, hash)).body).toMatchObject({
      state: 'rejected',
      failureCode: 'transaction_mismatch',
    })
  })

  test('fails as reverted when the gas is too low', async () => {
    const { id, transaction } = await prepared()
    const hash = await house.ownerWallet.send({ ...transaction, gas: '0xea60' })
    expect(await treasury.chain.mined(hash)).toBe('reverted')
    expect((await confirm(id, hash)).body).toMatchObject({
      state: 'failed',
      failureCode: 'transaction_reverted',
    })
  })

  test('fails as superseded when another policy came first', async () => {
    const late = await prepared()
    await configurePolicy(treasury, house, { vaultId: vault.id })
    const hash = await house.ownerWallet.send(late.transaction)
    expect(await treasury.chain.mined(hash)).toBe('reverted')
    expect((await confirm(late.id, hash)).body).toMatchObject({
      state: 'failed',
      failureCode: 'superseded',
    })
  })
})
