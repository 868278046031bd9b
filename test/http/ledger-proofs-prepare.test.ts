/** Preparing a ledger signature proof: the data to sign, and invalid requests. */
import { randomUUID } from 'node:crypto'
import { keccak256, stringToBytes } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Fingerprint } from '#test/security/dump.ts'
import { type House, house, randomAddress } from '#test/security/house.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { eip712Digest } from '#test/support/eip712.ts'
import {
  approvalBody,
  configureBody,
  deploymentBody as deployment,
  fundingBody,
  type Operator,
  openStage,
  operatorIn,
  type ProofStage,
} from '#test/support/ledger-proofs.ts'
import { outcome } from '#test/support/steps.ts'

let service: TestApp
let stage: ProofStage
let home: House
let other: House
let operator: Operator
let fingerprint: () => Promise<Fingerprint>

beforeAll(async () => {
  service = await startTestApp()
  stage = await openStage(service)
  ;({ home, other, operator, fingerprint } = stage)
})
afterAll(() => service.stop())

const funding = () => fundingBody(stage)
const configure = () => configureBody(stage)
const approval = () => approvalBody(stage)

const bodies: Record<string, () => Record<string, unknown>> = {
  deployment,
  funding,
  configure,
  approval,
}

describe('preparing', () => {
  test.each(Object.entries(bodies))(
    'returns 201 with the data to sign for %s',
    async (kind, make) => {
      const { status, body } = await operator.prepare(make())
      expect(status).toBe(201)
      expect(body).toMatchObject({
        organizationId: home.organization.id,
        provider: 'ledger',
        state: 'prepared',
        intentHash: keccak256(stringToBytes(body.intentJson)),
      })
      for (const absent of ['transactionHash', 'errorCode', 'evidenceJson', 'claimedByAccountId']) {
        expect(body).not.toHaveProperty(absent)
      }
      const intent = JSON.parse(body.intentJson)
      expect(intent).toMatchObject({ version: 1, kind, organizationId: home.organization.id })
      expect(await operator.read(body.id)).toMatchObject({ status: 200, body })
    },
  )

  test('returns the intent as canonical JSON: sorted keys, no whitespace', async () => {
    const { body } = await operator.prepare(deployment())
    const intent = JSON.parse(body.intentJson)
    const sorted = Object.fromEntries(Object.entries(intent).sort(([a], [b]) => (a < b ? -1 : 1)))
    expect(Object.keys(intent)).toEqual(Object.keys(sorted))
    expect(body.intentJson).toBe(JSON.stringify(intent))
  })

  test('returns the typed data for an approval, with the signer as approver', async () => {
    const signer = randomAddress()
    const { body } = await operator.prepare({ ...approval(), signer })
    const { typedData, digest } = JSON.parse(body.intentJson)
    expect(digest).toBe(eip712Digest(typedData))
    expect(typedData.message.approver.toLowerCase()).toBe(signer)
    expect(typedData.domain.verifyingContract.toLowerCase()).toBe(stage.vault.address)
  })

  test("returns the digest that the payment's approver has already signed", async () => {
    const { path, owner } = home.organization
    const paid = await service.call('GET', `${path}/payments/${home.paymentId}`, {
      token: owner.token,
    })
    const { approvalDigest } = paid.body.payment
    const [row] = await service.database.asOwner<{ signer: string }>(
      `select a.approver_address as signer from payments p join approvals a on a.id = p.approval_id
       where p.id = $1`,
      [home.paymentId],
    )
    const { body } = await operator.prepare({ ...approval(), signer: row?.signer })
    expect(JSON.parse(body.intentJson).digest).toBe(approvalDigest)
  })

  test.each([
    ['an unknown kind', () => ({ ...deployment(), kind: 'transfer' })],
    ['no signer', () => ({ kind: 'deployment', owner: randomAddress() })],
    ['no owner', () => ({ kind: 'deployment', signer: randomAddress() })],
    ['an address in upper case', () => ({ ...deployment(), signer: `0x${'AB'.repeat(20)}` })],
    ['an address that is too short', () => ({ ...deployment(), owner: '0x12' })],
    ['a payment id that is not a UUID', () => ({ ...approval(), paymentIntentId: 'x' })],
    ['an unknown property', () => ({ ...deployment(), amount: '1' })],
    ['the zero address', () => ({ ...deployment(), owner: `0x${'0'.repeat(40)}` })],
    ['funding without a vault', () => ({ ...funding(), vault: undefined })],
    ['configure without an executor', () => ({ ...configure(), executor: undefined })],
    ['configure without a recipient', () => ({ ...configure(), recipient: undefined })],
    ['configure without a vault', () => ({ ...configure(), vault: undefined })],
    ['approval without a payment', () => ({ ...approval(), paymentIntentId: undefined })],
    ['funding with another owner', () => ({ ...funding(), owner: randomAddress() })],
    [
      'configure by an account other than the owner',
      () => ({ ...configure(), signer: randomAddress() }),
    ],
    ['the owner as the executor', () => ({ ...configure(), executor: stage.vault.ownerAddress })],
    ['the vault as the recipient', () => ({ ...configure(), recipient: stage.vault.address })],
    ['an approval with another owner', () => ({ ...approval(), owner: randomAddress() })],
    ['an approval with another vault', () => ({ ...approval(), vault: randomAddress() })],
    ['an approval with another recipient', () => ({ ...approval(), recipient: randomAddress() })],
  ])('rejects %s with 400 and stores nothing', async (_what, make) => {
    const before = await fingerprint()
    expect(outcome(await operator.prepare(make()))).toBe('400 validation_failed')
    expect(await fingerprint()).toEqual(before)
  })

  const unused = { executor: `0x${'0'.repeat(40)}`, paymentIntentId: randomUUID() }
  test.each([
    ['a deployment', deployment, { ...unused, vault: randomAddress(), recipient: randomAddress() }],
    ['funding', funding, { ...unused, recipient: randomAddress() }],
    ['configure', configure, { paymentIntentId: randomUUID() }],
    ['an approval', approval, { executor: randomAddress() }],
  ])('of %s ignores the optional fields that its kind does not use', async (_what, make, extra) => {
    const request = make()
    const [plain, more] = [
      await operator.prepare(request),
      await operator.prepare({ ...request, ...extra }),
    ]
    expect([outcome(plain), outcome(more)]).toEqual(['201', '201'])
    const signed = (answer: typeof plain) => {
      const { typedData, digest: _digest, ...intent } = JSON.parse(answer.body.intentJson)
      return { ...intent, recipient: typedData?.message.recipient }
    }
    expect(signed(more)).toEqual(signed(plain))
    for (const value of Object.values(extra)) expect(more.body.intentJson).not.toContain(value)
  })

  test('rejects an executor that is also the recipient, as the vault would', async () => {
    const { executor, ...rest } = configure()
    const same = { ...rest, executor, recipient: executor }
    expect(outcome(await operator.prepare(same))).toBe('400 validation_failed')
  })

  test.each([
    [
      'a vault of another organization',
      () => ({ ...funding(), vault: stage.foreignVault.address }),
    ],
    ['an unknown vault', () => ({ ...configure(), vault: randomAddress() })],
    [
      'a payment of another organization',
      () => ({ ...approval(), paymentIntentId: other.paymentId }),
    ],
    ['an unknown payment', () => ({ ...approval(), paymentIntentId: randomUUID() })],
  ])('rejects %s with 403 and stores nothing', async (_what, make) => {
    const before = await fingerprint()
    expect(outcome(await operator.prepare(make()))).toBe('403 forbidden')
    expect(await fingerprint()).toEqual(before)
  })

  test('is 403 for an archived vault', async () => {
    const { organization, vaultId } = await house(service)
    const { path, owner } = organization
    const { token } = owner
    const archived = await service.call('POST', `${path}/vaults/${vaultId}/archive`, { token })
    const [signer, address] = [archived.body.ownerAddress, archived.body.address]
    const { prepare } = await operatorIn(service, organization.id)
    const funding = {
      kind: 'funding',
      signer: signer.toLowerCase(),
      owner: signer.toLowerCase(),
      vault: address.toLowerCase(),
    }
    expect(outcome(await prepare(funding))).toBe('403 forbidden')
  })

  test.each(Object.entries(bodies))(
    'is 403 for %s in an unknown organization',
    async (_kind, make) => {
      const nowhere = await operatorIn(service, randomUUID())
      expect(outcome(await nowhere.prepare(make()))).toBe('403 forbidden')
    },
  )
})
