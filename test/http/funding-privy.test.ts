/** Deposits and probes by a signer at Privy over HTTP: one transaction each, or none. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createDump } from '#test/security/dump.ts'
import {
  actionsOf,
  controlOf,
  requestAction,
  tokensOf,
  untilAction,
} from '#test/support/funding.ts'
import type { Fault } from '#test/support/privy-emulator.ts'
import { furnish } from '#test/support/privy-funding.ts'
import {
  hurry,
  openPrivyHouse,
  type PrivyHouse,
  type PrivyTreasury,
  startPrivyTreasury,
} from '#test/support/privy-house.ts'
import { auditTrail, outcome } from '#test/support/steps.ts'

let treasury: PrivyTreasury
let own: PrivyHouse

beforeAll(async () => {
  treasury = await startPrivyTreasury()
  hurry(treasury)
  own = await openPrivyHouse(treasury)
  expect((await own.attach()).body.attachmentState).toBe('verified')
  const vaultAddress = own.house.vault.address
  await furnish(treasury.chain, own.wallet, { vaultAddress, baseUnits: 10_000n })
})

afterAll(() => treasury.stop())

const sentSince = (count: number) => treasury.privy.transactions.slice(count)

test.each<[string, Fault[]]>([
  ['immediately', []],
  ['after a lost answer', ['lost after']],
  ['after a lost request', ['lost before']],
  ['after 429, 500 and an HTML page', [{ status: 429 }, { status: 500 }, { instead: '<html>' }]],
])('a deposit is confirmed by the chain %s, once', async (_when, faults) => {
  const before = await tokensOf(treasury, own.house.vault.address)
  const { length: sentBefore } = treasury.privy.transactions
  treasury.privy.fail('send', ...faults)
  const asked = await requestAction(treasury, own.house, { amountBaseUnits: '700' })
  expect(asked.status).toBe(202)
  const done = await untilAction(treasury, own.house, asked.body.id, 'confirmed')
  const [sent, ...more] = sentSince(sentBefore)
  expect(more).toEqual([])
  expect(done).toMatchObject({
    transactionHash: sent?.transaction_hash,
    providerReference: sent?.id,
    reconciliationState: 'confirmed',
    balanceBeforeBaseUnits: before.toString(),
    balanceAfterBaseUnits: (before + 700n).toString(),
  })
  expect(await tokensOf(treasury, own.house.vault.address)).toBe(before + 700n)
})

test('a deposit that the policy denies is recorded as denied and not sent', async () => {
  const [, , , , amount] = own.policy.rules[0]?.conditions ?? []
  const value = amount?.value
  Object.assign(amount ?? {}, { value: '0x1' })
  const { length: sentBefore } = treasury.privy.transactions
  const asked = await requestAction(treasury, own.house, { amountBaseUnits: '700' })
  const done = await untilAction(treasury, own.house, asked.body.id, 'denied')
  Object.assign(amount ?? {}, { value })
  expect(done).toMatchObject({ reconciliationState: 'denied', transactionHash: null })
  expect(sentSince(sentBefore)).toEqual([])
})

test('a probe is denied by the policy, even when the answer is lost once', async () => {
  treasury.privy.fail('send', 'lost after')
  const probe = { action: 'withdraw_probe', amountBaseUnits: '1' }
  const asked = await requestAction(treasury, own.house, probe)
  const done = await untilAction(treasury, own.house, asked.body.id, 'denied')
  expect(done).toMatchObject({ reconciliationState: 'denied', transactionHash: null })
  expect((await controlOf(treasury, own.house)).attachmentState).toBe('verified')
})

test('a probe that is not denied ends the control, the signer and all deposits', async () => {
  Object.assign(own.signers()[0] ?? {}, { override_policy_ids: [] })
  const before = await tokensOf(treasury, own.house.vault.address)
  const probe = { action: 'withdraw_probe', amountBaseUnits: '1' }
  const asked = await requestAction(treasury, own.house, probe)
  const done = await untilAction(treasury, own.house, asked.body.id, 'failed')
  expect(done.failureCode).toBe('probe_not_denied')
  expect(await controlOf(treasury, own.house)).toMatchObject({
    attachmentState: 'failed',
    failureCode: 'probe_not_denied',
  })
  await vi.waitFor(() => expect(own.signers()).toEqual([]), 20_000)
  expect(await tokensOf(treasury, own.house.vault.address)).toBe(before)
  expect(outcome(await requestAction(treasury, own.house))).toBe('409 signer_not_ready')
  const { path, owner } = own.house
  const told = async () =>
    (await treasury.service.call('GET', `${path}/live/snapshot`, { token: owner.token })).body
      .events
  // Visible once every older transaction of the database server has ended.
  await expect
    .poll(told)
    .toContainEqual(
      expect.objectContaining({ kind: 'integration.changed', severity: 'action_required' }),
    )
  const trail = await auditTrail(treasury.service.database, own.house.id)
  expect(trail.map(({ action }) => action)).toContain('funding_control.failed')
})

test('the list shows all of these actions', async () => {
  const { body } = await actionsOf(treasury, own.house)
  expect(body.map(({ state }: { state: string }) => state).sort()).toEqual([
    ...Array<string>(4).fill('confirmed'),
    // The first probe was automatic: a control is probed as soon as it is verified.
    ...Array<string>(3).fill('denied'),
    'failed',
  ])
})

test('neither logs nor rows contain the keys or what Privy answered', async () => {
  own = await openPrivyHouse(treasury)
  const said = `canary${randomUUID()}`
  treasury.privy.fail('read policy', {
    status: 400,
    body: JSON.stringify({ error: said, code: said }),
  })
  const refused = await own.attach()
  expect(outcome(refused)).toBe('503 dependency_unavailable')
  expect(refused.text).not.toContain(said)
  const keys = [
    treasury.privy.funding.env.PRIVY_FUNDING_SIGNER_KEY,
    treasury.privy.env.PRIVY_AUTHORIZATION_KEY,
  ]
  const secrets = [
    ...keys.map((key) => String(key).replace('wallet-auth:', '').replace(/=+$/, '')),
    String(treasury.privy.env.PRIVY_APP_SECRET),
    said,
  ]
  const dump = JSON.stringify(await (await createDump(treasury.service.database))())
  expect(dump).toContain('funding_controls')
  expect(treasury.lines.length).toBeGreaterThan(50)
  const texts = [dump, treasury.lines.join('\n')]
  for (const text of texts) expect(secrets.filter((one) => text.includes(one))).toEqual([])
})
