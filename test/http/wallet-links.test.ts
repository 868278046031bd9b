/** Linking the wallet of a key by a signature (EIP-4361). */
import { randomUUID } from 'node:crypto'
import { parseSiweMessage } from 'viem/siwe'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Person, startTestApp, type TestApp } from '#test/support/app.ts'
import { startTestChain, type TestChain } from '#test/support/chain.ts'
import { createMovingClock } from '#test/support/moving-clock.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import { outcome, randomAddress, tally, times } from '#test/support/steps.ts'
import {
  challenge as challengeAt,
  link as linkAt,
  linkKey,
  newKey,
  walletAudit,
  walletsOf,
} from '#test/support/wallet-links.ts'

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

const challenge = (person: Person, address: string, chainType?: string) =>
  challengeAt(service, person, { address, ...(chainType !== undefined && { chainType }) })

const link = (person: Person, challengeId: string, signature: string) =>
  linkAt(service, person, { challengeId, signature })

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
    expect(outcome(await challenge(person, address, 'ethereum'))).toBe('201')
    expect(outcome(await challenge(person, address, 'solana'))).toBe('400 unsupported_chain')
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
    const bare = await sharedTestApp()
    const answer = await challengeAt(bare, await bare.signIn(), { address: randomAddress() })
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
    const { body } = await challengeAt(bare, person, { address: key.address })
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
    const { body } = await linkKey(service, person)
    const [event] = await walletAudit(service, {
      action: 'wallet.linked',
      walletId: body.id,
    })
    expect(event).toMatchObject({
      actor_account_id: person.accountId,
      data: { accountId: person.accountId, kind: 'external', address: body.address },
    })
  })

  test('keeps the wallet at the next session, which does not name it', async () => {
    const person = await service.signIn()
    const { body } = await linkKey(service, person)
    await service.signIn(person.subject, [{ address: randomAddress(), kind: 'embedded' }])
    const addresses = (await walletsOf(service, person)).map(
      ({ address }: { address: string }) => address,
    )
    expect(addresses).toContain(body.address)
    expect(addresses).toHaveLength(2)
  })

  test('returns the existing wallet if the account already has it', async () => {
    const key = newKey()
    const token = { address: key.address, kind: 'embedded' as const }
    const person = await service.signIn(undefined, [token])
    const { status, body } = await linkKey(service, person, key)
    expect([status, body.id, body.kind]).toEqual([201, person.walletIds[0], 'embedded'])
    expect(await walletsOf(service, person)).toHaveLength(1)
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
    expect(await walletsOf(service, person)).toEqual([])
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
    expect(outcome(await linkKey(service, person, key))).toBe('409 wallet_conflict')
  })

  test('allows 50 linked wallets per account, also at once', async () => {
    const wallets = times(48, () => ({ address: randomAddress(), kind: 'external' as const }))
    const person = await service.signIn(undefined, wallets)
    const answers = await Promise.all(times(4, () => linkKey(service, person)))
    expect(tally(answers)).toEqual({ '201': 2, '409 state_conflict': 2 })
    const key = newKey()
    const { body } = await challenge(person, key.address)
    const signature = await key.signMessage({ message: body.message })
    const refused = await link(person, body.challengeId, signature)
    expect(outcome(refused)).toBe('409 state_conflict')
    expect(refused.body.error.message).toBe(
      'An account may have at most 50 linked wallets. Unlink one that you no longer use first.',
    )
    const path = `/v1/consumer/wallets/${person.walletIds[0]}/unlink`
    expect((await service.call('POST', path, { token: person.token })).status).toBe(200)
    expect(outcome(await link(person, body.challengeId, signature))).toBe('201')
    expect(await walletsOf(service, person)).toHaveLength(50)
  })

  test('returns an existing wallet of an account that has 50', async () => {
    const [key, kind] = [newKey(), 'external' as const]
    const others = times(49, () => ({ address: randomAddress(), kind }))
    const person = await service.signIn(undefined, [{ address: key.address, kind }, ...others])
    expect(outcome(await linkKey(service, person, key))).toBe('201')
  })

  test('leaves out the wallets of an ID token beyond 50, and keeps the others', async () => {
    const wallets = times(52, () => ({ address: randomAddress(), kind: 'external' as const }))
    const person = await service.signIn(undefined, wallets)
    const linked = await walletsOf(service, person)
    expect(linked).toHaveLength(50)
    await service.signIn(person.subject, wallets.toReversed())
    expect(await walletsOf(service, person)).toEqual(linked)
  })

  test('of two accounts that link one wallet at once, one succeeds', async () => {
    const key = newKey()
    const people = [await service.signIn(), await service.signIn()]
    const answers = await Promise.all(people.map((person) => linkKey(service, person, key)))
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
