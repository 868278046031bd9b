/** Every possible outcome of a prepared transaction, shown with deployments. */
import type { Hex } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import { oneTreasury } from '#test/http/one-treasury.ts'
import { hold } from '#test/support/chain.ts'
import { auditTrail, outcome } from '#test/support/steps.ts'
import {
  confirmDeployment,
  type House,
  openHouse,
  prepareDeployment,
  randomHash,
  type Treasury,
  vaultsOf,
} from '#test/support/treasury.ts'
import { settleIntent, settleIntentJob } from '#treasury/settle-intent.ts'

let treasury: Treasury
let house: House

beforeAll(async () => {
  treasury = await oneTreasury()
  house = await openHouse(treasury)
})

/** Backdates the submission by this much and runs the job. */
async function later(interval: string, intentId: string): Promise<void> {
  const { database, ctx } = treasury.service
  await database.asOwner(
    `update vault_deployments set submitted_at = submitted_at - $1::interval where id = $2`,
    [interval, intentId],
  )
  await settleIntentJob(ctx, { organizationId: house.id, intentId, kind: 'vault_deployment' })
}

const stateOf = async (intentId: string) => {
  const { database } = treasury.service
  const [row] = await database.asOwner<{ state: string; failure_code: string | null }>(
    'select state, failure_code from vault_deployments where id = $1',
    [intentId],
  )
  return [row?.state, row?.failure_code]
}

const actionsOf = async (intentId: string) =>
  (await auditTrail(treasury.service.database, house.id))
    .filter(({ aggregateId }) => aggregateId === intentId)
    .map(({ action }) => action.replace('vault_deployment.', ''))

describe('a transaction that no node has seen', () => {
  test('is submitted, lost after two minutes, given up after a day, then replaced', async () => {
    const { id, transaction } = await prepareDeployment(treasury, house)
    const lost = { id, transactionHash: randomHash() }
    const first = await confirmDeployment(treasury, house, lost)
    expect(first.body).toMatchObject({ state: 'submitted', failureCode: null, vault: null })
    const other = { id, transactionHash: randomHash() }
    expect(outcome(await confirmDeployment(treasury, house, other))).toBe('409 state_conflict')

    await later('110 seconds', id)
    expect(await stateOf(id)).toEqual(['submitted', null])
    await later('15 seconds', id)
    expect(await stateOf(id)).toEqual(['reconciling', null])
    await later('23 hours', id)
    expect(await stateOf(id)).toEqual(['reconciling', null])
    await later('1 hour', id)
    expect(await stateOf(id)).toEqual(['failed', 'transaction_not_found'])
    const same = await confirmDeployment(treasury, house, lost)
    expect(same.status).toBe(200)

    const id2 = (await prepareDeployment(treasury, house)).id
    await confirmDeployment(treasury, house, { id: id2, transactionHash: randomHash() })
    await later('25 hours', id2)
    expect(await stateOf(id2)).toEqual(['failed', 'transaction_not_found'])
    const transactionHash = await house.ownerWallet.send(transaction)
    const replaced = await confirmDeployment(treasury, house, { id: id2, transactionHash })
    expect(replaced.body).toMatchObject({
      state: 'confirmed',
      transactionHash,
      failureCode: null,
    })
    expect(await actionsOf(id2)).toEqual([
      'prepared',
      'submitted',
      'failed',
      'submitted',
      'confirmed',
    ])
  }, 30_000)

  test('is confirmed when it appears after it was lost', async () => {
    const { id, transaction } = await prepareDeployment(treasury, house)
    const held = await hold(treasury.chain, house.ownerWallet, transaction)
    const asked = await confirmDeployment(treasury, house, { id, transactionHash: held.hash })
    expect(asked.body.state).toBe('submitted')
    await later('3 minutes', id)
    expect(await stateOf(id)).toEqual(['reconciling', null])
    await held.broadcast()
    await treasury.chain.mined(held.hash)
    await later('0 seconds', id)
    expect(await stateOf(id)).toEqual(['confirmed', null])
  }, 20_000)

  test('does not affect another that is named while it is still being searched for', async () => {
    const { service } = treasury
    const { id: intentId } = await prepareDeployment(treasury, house)
    const named = { id: intentId, transactionHash: randomHash() }
    await confirmDeployment(treasury, house, named)
    const another = randomHash()
    const rename = () =>
      service.database.asOwner(`update vault_deployments set transaction_hash = $1 where id = $2`, [
        another,
        intentId,
      ])
    const findTransaction = async () => {
      await rename()
      return undefined
    }
    const chain = { ...service.ctx.chain, findTransaction }
    const job = { organizationId: house.id, intentId, kind: 'vault_deployment' as const }
    await service.database.asOwner(
      `update vault_deployments set submitted_at = submitted_at - interval '2 days'
       where id = $1`,
      [intentId],
    )
    const open = await settleIntent({ ...service.ctx, chain }, job)
    expect(open).toEqual({ openSince: expect.any(String) })
    expect(await stateOf(intentId)).toEqual(['submitted', null])
  }, 20_000)

  test('is found by the worker without another request', async () => {
    const { id, transaction } = await prepareDeployment(treasury, house)
    const held = await hold(treasury.chain, house.ownerWallet, transaction)
    await confirmDeployment(treasury, house, { id, transactionHash: held.hash })
    await held.broadcast()
    await expect.poll(() => stateOf(id), { timeout: 20_000 }).toEqual(['confirmed', null])
  }, 30_000)
})

async function alarmsOf({ id }: House): Promise<string[]> {
  const events = await treasury.service.database.asOwner<{ code: string }>(
    `select distinct code from live_events
     where organization_id = $1 and severity = 'action_required' order by code`,
    [id],
  )
  return events.map(({ code }) => code)
}

test('a deployment by an owner who was revoked meanwhile registers no vault', async () => {
  const { service } = treasury
  const other = await openHouse(treasury)
  const { token } = other.owner
  const { id, transaction } = await prepareDeployment(treasury, other)
  const held = await hold(treasury.chain, other.ownerWallet, transaction)
  await confirmDeployment(treasury, other, { id, transactionHash: held.hash })
  const { body } = await service.call('GET', `${other.path}/members`, { token })
  for (const role of body.members[0].walletRoles) {
    await service.call('POST', `${other.path}/wallet-roles/${role.id}/revoke`, { token })
  }
  await held.broadcast()
  await treasury.chain.mined(held.hash)
  const settled = await confirmDeployment(treasury, other, { id, transactionHash: held.hash })
  expect(settled.body).toMatchObject({ state: 'rejected', failureCode: 'treasury_owner_required' })
  expect(await vaultsOf(treasury, other)).toEqual([])
  expect(await alarmsOf(other)).toEqual(['treasury_owner_required'])
}, 20_000)

describe('a mismatched transaction', () => {
  type Sent = (transaction: { to: null; data: Hex; gas: Hex }) => Promise<Hex>
  const others: [string, Sent][] = [
    ['of another sender', async (sent) => (await treasury.chain.wallet()).send(sent)],
    [
      'to another target',
      (sent) => house.ownerWallet.send({ ...sent, to: treasury.chain.tokenAddress }),
    ],
    [
      'with other data',
      async ({ gas }) => {
        const theirs = await prepareDeployment(treasury, await openHouse(treasury))
        return house.ownerWallet.send({ ...theirs.transaction, gas })
      },
    ],
    ['with one byte more', (sent) => house.ownerWallet.send({ ...sent, data: `${sent.data}00` })],
    ['with value', (sent) => house.ownerWallet.send(sent, { wei: 1n })],
    [
      'a plain transfer',
      ({ gas }) =>
        house.ownerWallet.send({ to: house.approverWallet.address, data: '0x', gas }, { wei: 1n }),
    ],
  ]

  test.each(others)('%s: the intent is rejected and no vault is stored', async (_name, send) => {
    const { id, transaction } = await prepareDeployment(treasury, house)
    const before = await vaultsOf(treasury, house)
    const transactionHash = await send(transaction)
    const { status, body } = await confirmDeployment(treasury, house, { id, transactionHash })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      state: 'rejected',
      failureCode: 'transaction_mismatch',
      vault: null,
    })
    expect(await vaultsOf(treasury, house)).toEqual(before)
    const again = { id, transactionHash: randomHash() }
    expect(outcome(await confirmDeployment(treasury, house, again))).toBe('409 state_conflict')
  })
})

describe('a transaction that was reverted', () => {
  test('for lack of gas fails the intent permanently', async () => {
    const { id, transaction } = await prepareDeployment(treasury, house)
    const transactionHash = await house.ownerWallet.send({ ...transaction, gas: '0xf4240' })
    expect(await treasury.chain.mined(transactionHash)).toBe('reverted')
    const { body } = await confirmDeployment(treasury, house, { id, transactionHash })
    expect(body).toMatchObject({
      state: 'failed',
      failureCode: 'transaction_reverted',
      vault: null,
    })
    const again = { id, transactionHash: randomHash() }
    expect(outcome(await confirmDeployment(treasury, house, again))).toBe('409 state_conflict')
    expect(await stateOf(id)).toEqual(['failed', 'transaction_reverted'])
  })

  test('raises a live event', async () => {
    expect(await alarmsOf(house)).toEqual([
      'transaction_mismatch',
      'transaction_not_found',
      'transaction_reverted',
    ])
  })
})
