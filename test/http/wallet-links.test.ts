/** Linking a wallet by a signature (EIP-4361), and unlinking it. */
import { randomUUID } from 'node:crypto'
import {
  type Address,
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  getAddress,
  getContractAddress,
  type Hex,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { parseSiweMessage } from 'viem/siwe'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compileMocks, deployMock, type Mock } from '#test/adapters/mocks.ts'
import { type Bench, openBench } from '#test/chain/bench.ts'
import {
  type Answer,
  createOrganization,
  joinOrganization,
  type Person,
  startTestApp,
  type TestApp,
} from '#test/support/app.ts'
import { startTestChain, type TestChain } from '#test/support/chain.ts'
import { createMovingClock } from '#test/support/moving-clock.ts'
import { membershipOf, outcome, randomAddress, tally, times } from '#test/support/steps.ts'

const ORIGIN = 'https://app.example:8443'

const clock = createMovingClock()
let chain: TestChain
let service: TestApp

beforeAll(async () => {
  chain = await startTestChain()
  service = await startTestApp({
    env: { ...chain.env, CONSUMER_APP_ORIGIN: ORIGIN },
    replace: { clock },
  })
})
afterAll(async () => {
  await service.stop()
  await chain.stop()
})

const newKey = () => privateKeyToAccount(generatePrivateKey())

const challenge = ({ token }: Person, address: string, more: object = {}, to = service) =>
  to.call('POST', '/v1/consumer/wallets/link-challenges', { token, body: { address, ...more } })

const link = ({ token }: Person, challengeId: string, signature: string): Promise<Answer> =>
  service.call('POST', '/v1/consumer/wallets/links', { token, body: { challengeId, signature } })

const unlink = ({ token }: Person, walletId: string): Promise<Answer> =>
  service.call('POST', `/v1/consumer/wallets/${walletId}/unlink`, { token })

async function linkKey(person: Person, key = newKey()): Promise<Answer> {
  const { body } = await challenge(person, key.address)
  return link(person, body.challengeId, await key.signMessage({ message: body.message }))
}

const walletsOf = async ({ token }: Person) =>
  (await service.call('GET', '/v1/consumer/me', { token })).body.wallets

const auditOf = (action: string, aggregateId: string) =>
  service.database.asOwner<{ data: Record<string, unknown>; actor_account_id: string }>(
    'select data, actor_account_id from audit_events where action = $1 and aggregate_id = $2',
    [action, aggregateId],
  )

describe('POST /v1/consumer/wallets/link-challenges', () => {
  test('returns an EIP-4361 message for this account, wallet, chain and application', async () => {
    const person = await service.signIn()
    const { address } = newKey()
    const { status, body } = await challenge(person, address.toLowerCase())
    expect(status).toBe(201)
    expect(parseSiweMessage(body.message)).toEqual({
      domain: 'app.example:8443',
      uri: ORIGIN,
      address,
      chainId: service.ctx.chain.chainId,
      version: '1',
      nonce: expect.stringMatching(/^[0-9a-f]{32}$/),
      statement: `Link this wallet to the Countersign account ${person.accountId}.`,
      issuedAt: expect.any(Date),
      expirationTime: new Date(body.expiresAt),
      requestId: body.challengeId,
    })
    const left = Date.parse(body.expiresAt) - clock.now().getTime()
    expect(left).toBeGreaterThan(590_000)
    expect(left).toBeLessThanOrEqual(600_000)
  })

  test('takes chainType ethereum and no other', async () => {
    const person = await service.signIn()
    const { address } = newKey()
    expect(outcome(await challenge(person, address, { chainType: 'ethereum' }))).toBe('201')
    expect(outcome(await challenge(person, address, { chainType: 'solana' }))).toBe(
      '400 unsupported_chain',
    )
  })

  test.each(['vitalik.eth', '0x12', '', `0x${'aB'.repeat(20)}`])('refuses %j', async (address) => {
    const answer = await challenge(await service.signIn(), address)
    expect(outcome(answer)).toBe('400 validation_failed')
  })

  test('allows ten in ten minutes, also at once, and more later', async () => {
    const person = await service.signIn()
    const ask = () => challenge(person, randomAddress())
    const answers = await Promise.all(times(15, ask))
    expect(tally(answers)).toEqual({ '201': 10, '429 rate_limited': 5 })
    const refused = await ask()
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(600)
    expect(outcome(await challenge(await service.signIn(), randomAddress()))).toBe('201')
    clock.ahead(601)
    expect(outcome(await ask())).toBe('201')
  })

  test('is 503 without a configured origin, and says which', async () => {
    const bare = await startTestApp()
    const answer = await challenge(await bare.signIn(), randomAddress(), {}, bare)
    expect(outcome(answer)).toBe('503 dependency_unavailable')
    expect(answer.body.error.message).toContain('CONSUMER_APP_ORIGIN')
    await bare.stop()
  })

  test('is 401 without a token', async () => {
    const url = '/v1/consumer/wallets/link-challenges'
    const answer = await service.call('POST', url, { body: { address: randomAddress() } })
    expect(outcome(answer)).toBe('401 unauthenticated')
  })
})

describe('POST /v1/consumer/wallets/links', () => {
  test('links the wallet of a key, without asking a node', async () => {
    const bare = await startTestApp({ env: { CORS_ORIGINS: 'https://first.example' } })
    const person = await bare.signIn()
    const key = newKey()
    const { body } = await challenge(person, key.address, {}, bare)
    expect(body.message).toMatch(/^first\.example wants you to sign in/)
    const signature = await key.signMessage({ message: body.message })
    const linked = await bare.call('POST', '/v1/consumer/wallets/links', {
      token: person.token,
      body: { challengeId: body.challengeId.toUpperCase(), signature },
    })
    expect(linked.status).toBe(201)
    expect(linked.body).toEqual({
      id: expect.any(String),
      address: key.address,
      kind: 'external',
      chainType: 'ethereum',
    })
    await bare.stop()
  })

  test('is audited', async () => {
    const person = await service.signIn()
    const { body } = await linkKey(person)
    const [event] = await auditOf('wallet.linked', body.id)
    expect(event).toMatchObject({
      actor_account_id: person.accountId,
      data: { accountId: person.accountId, kind: 'external', address: body.address },
    })
  })

  test('keeps the wallet at the next session, which does not name it', async () => {
    const person = await service.signIn()
    const { body } = await linkKey(person)
    await service.signIn(person.subject, [{ address: randomAddress(), kind: 'embedded' }])
    const addresses = (await walletsOf(person)).map(({ address }: { address: string }) => address)
    expect(addresses).toContain(body.address)
    expect(addresses).toHaveLength(2)
  })

  test('returns the existing wallet if the account already has it', async () => {
    const key = newKey()
    const token = { address: key.address, kind: 'embedded' as const }
    const person = await service.signIn(undefined, [token])
    const { status, body } = await linkKey(person, key)
    expect([status, body.id, body.kind]).toEqual([201, person.walletIds[0], 'embedded'])
    expect(await walletsOf(person)).toHaveLength(1)
  })

  test('uses a challenge once, also for concurrent requests', async () => {
    const person = await service.signIn()
    const key = newKey()
    const { body } = await challenge(person, key.address)
    const signature = await key.signMessage({ message: body.message })
    const answers = await Promise.all(times(5, () => link(person, body.challengeId, signature)))
    expect(tally(answers)).toEqual({ '201': 1, '409 state_conflict': 4 })
    expect(outcome(await link(person, body.challengeId, signature))).toBe('409 state_conflict')
  })

  test('refuses the signature of another key or message, which uses the challenge up', async () => {
    const person = await service.signIn()
    const key = newKey()
    const first = (await challenge(person, key.address)).body
    const wrong = await newKey().signMessage({ message: first.message })
    expect(outcome(await link(person, first.challengeId, wrong))).toBe('409 invalid_signature')
    const right = await key.signMessage({ message: first.message })
    expect(outcome(await link(person, first.challengeId, right))).toBe('409 state_conflict')
    const second = (await challenge(person, key.address)).body
    expect(outcome(await link(person, second.challengeId, right))).toBe('409 invalid_signature')
    expect(await walletsOf(person)).toEqual([])
  })

  test('refuses an expired challenge', async () => {
    const person = await service.signIn()
    const key = newKey()
    const { body } = await challenge(person, key.address)
    const signature = await key.signMessage({ message: body.message })
    clock.ahead(600)
    const answer = await link(person, body.challengeId, signature)
    expect(outcome(answer)).toBe('409 state_conflict')
    expect(answer.body.error.message).toContain('expired')
  })

  test("does not find another account's challenge", async () => {
    const key = newKey()
    const { body } = await challenge(await service.signIn(), key.address)
    const thief = await service.signIn()
    const signature = await key.signMessage({ message: body.message })
    expect(outcome(await link(thief, body.challengeId, signature))).toBe('404 not_found')
    expect(outcome(await link(thief, randomUUID(), signature))).toBe('404 not_found')
  })

  test('is 409 wallet_conflict for a wallet of somebody else', async () => {
    const key = newKey()
    await service.signIn(undefined, [{ address: key.address, kind: 'external' }])
    const person = await service.signIn()
    expect(outcome(await linkKey(person, key))).toBe('409 wallet_conflict')
  })

  test('of two accounts that link one wallet at once, one succeeds', async () => {
    const key = newKey()
    const people = [await service.signIn(), await service.signIn()]
    const answers = await Promise.all(people.map((person) => linkKey(person, key)))
    expect(tally(answers)).toEqual({ '201': 1, '409 wallet_conflict': 1 })
  })

  test.each(['', '0x', '0x1', '0xzz', 'text', `0x${'00'.repeat(16_385)}`])(
    'refuses %.20j as a signature',
    async (signature) => {
      const person = await service.signIn()
      expect(outcome(await link(person, randomUUID(), signature))).toBe('400 validation_failed')
    },
  )
})

describe('a contract wallet', () => {
  const MAGIC = `0x${'6492'.repeat(16)}` as const
  let bench: Bench
  let mocks: Record<string, Mock>
  let factory: Address

  beforeAll(async () => {
    bench = await openBench(chain)
    mocks = await compileMocks(['KeyWallets'])
    factory = await deployMock(bench, mocks.KeyWalletFactory)
  })

  const deployment = (key: Address): Hex =>
    encodeFunctionData({
      abi: mocks.KeyWalletFactory?.abi ?? [],
      functionName: 'deploy',
      args: [key],
    })

  /** Where the factory deploys the wallet of the key. */
  const addressOf = (key: Address): Address =>
    getContractAddress({
      opcode: 'CREATE2',
      from: factory,
      salt: `0x${'00'.repeat(32)}`,
      bytecode: concatHex([
        mocks.KeyWallet?.bytecode ?? '0x',
        encodeAbiParameters([{ type: 'address' }], [key]),
      ]),
    })

  const wrapped = (key: Address, signature: Hex): Hex =>
    concatHex([
      encodeAbiParameters(
        [{ type: 'address' }, { type: 'bytes' }, { type: 'bytes' }],
        [factory, deployment(key), signature],
      ),
      MAGIC,
    ])

  test('is linked by ERC-1271 once it is deployed', async () => {
    const person = await service.signIn()
    const key = newKey()
    await bench.send(bench.owner, { to: factory, data: deployment(key.address) })
    const address = addressOf(key.address)
    const { body } = await challenge(person, address)
    const signature = await key.signMessage({ message: body.message })
    const linked = await link(person, body.challengeId, signature)
    expect([linked.status, linked.body.address]).toEqual([201, getAddress(address)])
  })

  test('is linked by ERC-6492 before it is deployed', async () => {
    const person = await service.signIn()
    const key = newKey()
    const address = addressOf(key.address)
    const { body } = await challenge(person, address)
    const signature = await key.signMessage({ message: body.message })
    const linked = await link(person, body.challengeId, wrapped(key.address, signature))
    expect([linked.status, linked.body.address]).toEqual([201, getAddress(address)])
  })

  test('is refused if another key signed, deployed or not', async () => {
    const person = await service.signIn()
    const key = newKey()
    const thief = newKey()
    for (const isDeployed of [false, true]) {
      if (isDeployed) await bench.send(bench.owner, { to: factory, data: deployment(key.address) })
      const { body } = await challenge(person, addressOf(key.address))
      const signature = await thief.signMessage({ message: body.message })
      const answer = await link(person, body.challengeId, wrapped(key.address, signature))
      expect(outcome(answer)).toBe('409 invalid_signature')
    }
  })

  test('is refused if the deployment is of another wallet', async () => {
    const person = await service.signIn()
    const [key, thief] = [newKey(), newKey()]
    const { body } = await challenge(person, addressOf(key.address))
    const signature = await thief.signMessage({ message: body.message })
    const answer = await link(person, body.challengeId, wrapped(thief.address, signature))
    expect(outcome(answer)).toBe('409 invalid_signature')
  })

  test('is 503 while no node answers, and the challenge stays usable', async () => {
    const person = await service.signIn()
    const key = newKey()
    const { body } = await challenge(person, addressOf(key.address))
    const signature = await key.signMessage({ message: body.message })
    const proof = wrapped(key.address, signature)
    const { isWalletSignature } = service.ctx.chain
    const away = await startTestApp({ env: { CONSUMER_APP_ORIGIN: ORIGIN } })
    service.ctx.chain.isWalletSignature = away.ctx.chain.isWalletSignature
    const answer = await link(person, body.challengeId, proof)
    service.ctx.chain.isWalletSignature = isWalletSignature
    await away.stop()
    expect(outcome(answer)).toBe('503 dependency_unavailable')
    expect(outcome(await link(person, body.challengeId, proof))).toBe('201')
  })
})

describe('POST /v1/consumer/wallets/{walletId}/unlink', () => {
  test('removes the wallet, and another account may link it', async () => {
    const person = await service.signIn()
    const key = newKey()
    const { body: wallet } = await linkKey(person, key)
    const answer = await unlink(person, wallet.id)
    expect([answer.status, answer.body]).toEqual([200, wallet])
    expect(await walletsOf(person)).toEqual([])
    const [event] = await auditOf('wallet.unlinked', wallet.id)
    expect(event?.data).toMatchObject({ accountId: person.accountId, address: wallet.address })
    expect(outcome(await unlink(person, wallet.id))).toBe('404 not_found')
    expect(outcome(await linkKey(await service.signIn(), key))).toBe('201')
    expect(outcome(await linkKey(person, key))).toBe('409 wallet_conflict')
  })

  test('links again by a signature, as another wallet', async () => {
    const person = await service.signIn()
    const key = newKey()
    const first = (await linkKey(person, key)).body
    await unlink(person, first.id)
    const second = (await linkKey(person, key)).body
    expect(second.address).toBe(first.address)
    expect(second.id).not.toBe(first.id)
  })

  test('keeps a wallet of the ID token unlinked at later sessions', async () => {
    const wallets = [{ address: randomAddress(), kind: 'external' as const }]
    const person = await service.signIn(undefined, wallets)
    expect(outcome(await unlink(person, person.walletIds[0] ?? ''))).toBe('200')
    await service.signIn(person.subject, wallets)
    expect(await walletsOf(person)).toEqual([])
    const other = await service.signIn(undefined, wallets)
    expect(other.walletIds).toHaveLength(1)
    // No conflict with the account that has it now.
    await service.signIn(person.subject, wallets)
  })

  test('refuses a wallet with an active role in any organization with 409', async () => {
    const acme = await createOrganization(service)
    const person = await joinOrganization(service, acme, { role: 'manager' })
    const { body: wallet } = await linkKey(person)
    const { membershipId } = await membershipOf(service, acme, person)
    const body = { membershipId, walletId: wallet.id, role: 'approver' }
    const { token } = acme.owner
    const given = await service.call('POST', `${acme.path}/wallet-roles`, { token, body })
    expect(given.status).toBe(201)
    expect(outcome(await unlink(person, wallet.id))).toBe('409 state_conflict')
    await service.call('POST', `${acme.path}/wallet-roles/${given.body.id}/revoke`, { token })
    expect(outcome(await unlink(person, wallet.id))).toBe('200')
    // The former role stays in the list of members, without the wallet.
    const member = await membershipOf(service, acme, person)
    expect(member.wallets).toEqual([])
    expect(member.walletRoles).toMatchObject([{ walletId: wallet.id, active: false }])
  })

  test('never leaves a role on an unlinked wallet when both happen at once', async () => {
    const acme = await createOrganization(service)
    for (const _round of times(5, () => 0)) {
      const person = await joinOrganization(service, acme, { role: 'manager' })
      const { body: wallet } = await linkKey(person)
      const { membershipId } = await membershipOf(service, acme, person)
      const body = { membershipId, walletId: wallet.id, role: 'approver' }
      const { token } = acme.owner
      const [given, unlinked] = await Promise.all([
        service.call('POST', `${acme.path}/wallet-roles`, { token, body }),
        unlink(person, wallet.id),
      ])
      expect([given.status === 201, unlinked.status === 200].filter(Boolean)).toHaveLength(1)
    }
  })

  test('refuses server wallets, and does not find wallets of others', async () => {
    const person = await service.signIn()
    const made = await service.call('POST', '/v1/consumer/wallets/', {
      token: person.token,
      body: { purpose: 'Deposits', idempotencyKey: randomUUID() },
    })
    expect(made.status).toBe(201)
    expect(outcome(await unlink(person, made.body.id))).toBe('409 state_conflict')
    expect(outcome(await unlink(await service.signIn(), made.body.id))).toBe('404 not_found')
    expect(outcome(await unlink(person, randomUUID()))).toBe('404 not_found')
  })
})
