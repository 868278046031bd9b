/** A replay returns the first answer, whatever has changed since. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createOrganization } from '#test/support/app.ts'
import { makeHolder, postWallet } from '#test/support/exports.ts'
import {
  type FundingHouse,
  giveGas,
  openFundingHouse,
  readyToDeposit,
  requestAction,
  untilAction,
} from '#test/support/funding.ts'
import { createMovingClock } from '#test/support/moving-clock.ts'
import { freshKey, outcome } from '#test/support/steps.ts'
import {
  deployVault,
  openHouse,
  policyBody,
  provisionExecutor,
  startTreasury,
  type Treasury,
} from '#test/support/treasury.ts'
import { disableWallet } from '#wallets/disable-wallet.ts'

const clock = createMovingClock()
let treasury: Treasury

beforeAll(async () => {
  treasury = await startTreasury({ replace: () => ({ clock }) })
  giveGas(treasury)
})
afterAll(() => treasury.stop())

const isReplay = ({ headers }: { headers: Record<string, unknown> }) =>
  headers['idempotent-replayed'] === 'true'

describe('a key in the body', () => {
  let house: FundingHouse
  beforeAll(async () => {
    house = await openFundingHouse(treasury)
    await readyToDeposit(treasury, house)
  })

  test('replays a funding action that has since been confirmed', async () => {
    const body = { amountBaseUnits: '7', idempotencyKey: randomUUID() }
    const first = await requestAction(treasury, house, body)
    expect(first).toMatchObject({ status: 202, body: { state: 'requested' } })
    await untilAction(treasury, house, first.body.id, 'confirmed')
    const again = await requestAction(treasury, house, body)
    expect([again.status, again.text, isReplay(again)]).toEqual([202, first.text, true])
  })

  test('replays a funding action although no provider is configured any more', async () => {
    const body = { amountBaseUnits: '8', idempotencyKey: randomUUID() }
    const first = await requestAction(treasury, house, body)
    await untilAction(treasury, house, first.body.id, 'confirmed')
    const { ctx } = treasury.service
    const { fundingProvider } = ctx
    Object.assign(ctx, { fundingProvider: undefined })
    const again = await requestAction(treasury, house, body)
    const other = await requestAction(treasury, house, { ...body, idempotencyKey: randomUUID() })
    Object.assign(ctx, { fundingProvider })
    expect([again.status, again.text]).toEqual([202, first.text])
    expect(outcome(other)).toBe('503 dependency_unavailable')
  })

  test('of a probe may come with an approvalTransactionHash, which is ignored', async () => {
    const approvalTransactionHash = `0x${'ab'.repeat(32)}`
    const asked = await requestAction(treasury, house, {
      ...{ action: 'withdraw_probe', approvalTransactionHash },
    })
    expect(outcome(asked)).toBe('202')
    await untilAction(treasury, house, asked.body.id, 'denied')
    const [row] = await treasury.service.database.asOwner(
      'select approval_transaction_hash as hash from funding_actions where id = $1',
      [asked.body.id],
    )
    expect(row?.hash ?? null).toBeNull()
  })

  test.each(['consumer', 'admin'] as const)(
    'replays a wallet of the %s realm that has since been disabled',
    async (realm) => {
      const { service } = treasury
      const holder = await makeHolder(service, realm)
      const body = { purpose: 'Once', idempotencyKey: randomUUID() }
      const first = await postWallet(service, holder, body)
      expect(first).toMatchObject({ status: 201, body: { lifecycleStatus: 'active' } })
      expect(await disableWallet(service.ctx, first.body.id)).toBe(true)
      const again = await postWallet(service, holder, body)
      expect([again.status, again.text, isReplay(again)]).toEqual([201, first.text, true])
    },
  )

  test('replays a wallet although no provider is configured any more', async () => {
    const { service } = treasury
    const holder = await makeHolder(service)
    const body = { purpose: 'Once', idempotencyKey: randomUUID() }
    const first = await postWallet(service, holder, body)
    const { walletProvider } = service.ctx
    Object.assign(service.ctx, { walletProvider: undefined })
    const again = await postWallet(service, holder, body)
    const other = await postWallet(service, holder, { ...body, idempotencyKey: randomUUID() })
    Object.assign(service.ctx, { walletProvider })
    expect([again.status, again.text]).toEqual([201, first.text])
    expect(outcome(other)).toBe('503 dependency_unavailable')
  })
})

test.each([
  ['{}', undefined],
  [undefined, '{}'],
])('replays a provisioning requested with the body %s for %s', async (one, two) => {
  const { service } = treasury
  const { path, owner } = await createOrganization(service)
  const headers = freshKey()
  const provision = (raw?: string) =>
    service.call('POST', `${path}/executor/provision`, {
      ...{ token: owner.token, headers },
      ...(raw !== undefined && { raw }),
    })
  const first = await provision(one)
  expect(outcome(first)).toBe('202')
  const again = await provision(two)
  expect([again.status, again.text, isReplay(again)]).toEqual([202, first.text, true])
})

/** Runs last: it moves the clock that jobs use. */
test('a policy intent is replayed after the expiresAt of its body has passed', async () => {
  const { service } = treasury
  const house = await openHouse(treasury)
  const vault = await deployVault(treasury, house)
  await provisionExecutor(treasury, house)
  const expiresAt = new Date(clock.now().getTime() + 60_000).toISOString()
  const prepare = (headers: Record<string, string>) =>
    service.call('POST', `${house.path}/vaults/${vault.id}/policy-intents/prepare`, {
      ...{ token: house.owner.token, body: policyBody({ expiresAt }), headers },
    })
  const headers = freshKey()
  const first = await prepare(headers)
  expect(outcome(first)).toBe('201')
  clock.ahead(120)
  const again = await prepare(headers)
  expect([again.status, again.text, isReplay(again)]).toEqual([201, first.text, true])
  const fresh = await prepare(freshKey())
  expect(outcome(fresh)).toBe('400 validation_failed')
  expect(fresh.body.error.message).toContain('expiresAt')
})
