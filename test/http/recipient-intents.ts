/** Intents that change a vault's recipients, alone or with its policy: every outcome. */
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { encodeRecipients } from '#adapters/chain/vault-codec.ts'
import { oneTreasury } from '#test/http/one-treasury.ts'
import { addRecipient, outcome } from '#test/support/steps.ts'
import {
  configurePolicy,
  deployVault,
  type House,
  openHouse,
  preparePolicy,
  provisionExecutor,
  type Treasury,
  type VaultRecord,
} from '#test/support/treasury.ts'

let treasury: Treasury
let house: House
let vault: VaultRecord

beforeAll(async () => {
  treasury = await oneTreasury()
  house = await openHouse(treasury)
  vault = await deployVault(treasury, house)
  await provisionExecutor(treasury, house)
  await addRecipient(treasury.service, house)
  await configurePolicy(treasury, house, { vaultId: vault.id })
})

const add = async () => (await addRecipient(treasury.service, house)).body

async function prepared(terms: Record<string, unknown> = {}) {
  const answer = await preparePolicy(treasury, house, { vaultId: vault.id, terms })
  expect(answer.status).toBe(201)
  return answer.body
}

const confirm = (intentId: string, transactionHash: string) =>
  treasury.service.call(
    'POST',
    `${house.path}/vaults/${vault.id}/policy-intents/${intentId}/confirm`,
    { token: house.owner.token, body: { transactionHash } },
  )

/** A job settles what the answer does not wait for. */
const settled = (intentId: string, transactionHash: string) =>
  vi.waitFor(async () => {
    const { body } = await confirm(intentId, transactionHash)
    expect(body.state).toBeOneOf(['confirmed', 'rejected', 'failed'])
    return body
  }, 20_000)

const detail = async () =>
  (
    await treasury.service.call('GET', `${house.path}/vaults/${vault.id}`, {
      token: house.owner.token,
    })
  ).body

const reports = () =>
  treasury.service.database.asOwner<{ code: string; severity: string }>(
    `select code, severity from live_events
     where organization_id = $1 and code like 'recipients_%' order by id`,
    [house.id],
  )

describe('a change of recipients alone', () => {
  test('is confirmed under the policy in force, whose version stays', async () => {
    const { address } = await add()
    const { policy: before, recipientsVersion } = await detail()
    const intent = await prepared()
    expect(intent).toMatchObject({
      kind: 'recipients',
      policyVersion: null,
      changes: { recipients: { added: [address], removed: [] }, approvedCap: null, tiers: null },
    })
    const hash = await house.ownerWallet.send(intent.transaction)
    expect(await settled(intent.id, hash)).toMatchObject({
      state: 'confirmed',
      policyVersion: before.version,
    })
    const after = await detail()
    expect(after.policy).toEqual({ ...before, recipientAddresses: expect.anything() })
    expect(after.recipientsVersion).toBe(recipientsVersion + 1)
    expect((await reports()).at(-1)).toEqual({ code: 'recipients_changed', severity: 'healthy' })
  })

  test('that is sent twice fails as superseded the second time', async () => {
    await add()
    const [first, second] = [await prepared(), await prepared()]
    await settled(first.id, await house.ownerWallet.send(first.transaction))
    const late = await settled(second.id, await house.ownerWallet.send(second.transaction))
    expect(late).toMatchObject({ state: 'failed', failureCode: 'superseded', policyVersion: null })
  })

  test('that the owner altered is rejected, and reported as drift', async () => {
    const [one, other] = [await add(), await add()]
    const intent = await prepared()
    const { recipientsVersion } = await detail()
    const altered = encodeRecipients({
      chainId: 31_337,
      vaultAddress: vault.address,
      ownerAddress: house.ownerWallet.address,
      expectedRecipientsVersion: recipientsVersion,
      add: [one.address],
      remove: [],
    })
    const hash = await house.ownerWallet.send(altered)
    expect(await settled(intent.id, hash)).toMatchObject({
      state: 'rejected',
      failureCode: 'transaction_mismatch',
    })
    await vi.waitFor(async () => {
      expect((await reports()).at(-1)).toEqual({
        code: 'recipients_drift',
        severity: 'action_required',
      })
    }, 20_000)
    expect((await detail()).differences.missingRecipients).toEqual([other.address])
  })

  test('that reverts for want of gas fails, and can be prepared again', async () => {
    const intent = await prepared()
    const hash = await house.ownerWallet.send({ ...intent.transaction, gas: '0xafc8' })
    const failed = await settled(intent.id, hash)
    expect(failed).toMatchObject({ state: 'failed', failureCode: 'transaction_reverted' })
    const again = await prepared()
    expect(again).toMatchObject({ kind: 'recipients', changes: intent.changes })
    await settled(again.id, await house.ownerWallet.send(again.transaction))
  })

  test('is no policy to wait for', async () => {
    await add()
    const intent = await prepared()
    const chainTransactionHash = await house.ownerWallet.send(intent.transaction)
    await settled(intent.id, chainTransactionHash)
    const synced = await treasury.service.call('POST', `${house.path}/policies/sync`, {
      token: house.owner.token,
      body: { chainTransactionHash },
    })
    expect(outcome(synced)).toBe('409 transaction_mismatch')
  })
})

describe('a change of both', () => {
  test('is one transaction, confirmed with the new version', async () => {
    const { address } = await add()
    const { policy: before } = await detail()
    const intent = await prepared({ approvedCap: '1000001' })
    expect(intent.kind).toBe('policy_and_recipients')
    const hash = await house.ownerWallet.send(intent.transaction)
    expect(await settled(intent.id, hash)).toMatchObject({
      state: 'confirmed',
      policyVersion: before.version + 1,
    })
    const { policy } = await detail()
    expect(policy).toMatchObject({ approvedCap: '1000001', chainTransactionHash: hash })
    expect(policy.recipientAddresses).toContain(address)
  })

  test.each([
    ['policy', async () => prepared({ approvedCap: '1000002', reserveFloor: '1' })],
    [
      'list of recipients',
      async () => {
        await add()
        return prepared({ approvedCap: '1000001' })
      },
    ],
  ])('fails as superseded when another %s came first', async (_name, prepareOther) => {
    await add()
    const both = await prepared({ approvedCap: '1000003' })
    expect(both.kind).toBe('policy_and_recipients')
    const other = await prepareOther()
    expect((await settled(other.id, await house.ownerWallet.send(other.transaction))).state).toBe(
      'confirmed',
    )
    const late = await settled(both.id, await house.ownerWallet.send(both.transaction))
    expect(late).toMatchObject({ state: 'failed', failureCode: 'superseded' })
  })
})

test('a recipient that was deactivated and added again is not removed and added', async () => {
  const { body } = await treasury.service.call('GET', `${house.path}/recipients`, {
    token: house.owner.token,
  })
  const [one] = body.recipients.filter(({ active }: { active: boolean }) => active)
  const url = `${house.path}/recipients/${one.id}/deactivate`
  await treasury.service.call('POST', url, { token: house.owner.token })
  await addRecipient(treasury.service, house, { address: one.address })
  await configurePolicy(treasury, house, { vaultId: vault.id })
  const { changes } = await prepared()
  expect(changes.recipients).toEqual({ added: [], removed: [] })
})
