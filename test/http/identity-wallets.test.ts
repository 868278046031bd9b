import { randomUUID } from 'node:crypto'
import { getAddress } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { auditTrail, outcome, randomAddress, tally } from '#test/support/steps.ts'
import { type KeyServer, makeTokenKey, signToken, startKeyServer } from '#test/support/tokens.ts'

const ISSUER = 'https://auth.example'
const AUDIENCE = 'an-application'
const ZERO = '0x0000000000000000000000000000000000000000'
const SOLANA = [
  '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU',
  'So11111111111111111111111111111111111111112',
]

const key = makeTokenKey({ kid: 'signing' })
let keys: KeyServer
let service: TestApp

beforeAll(async () => {
  keys = await startKeyServer([key.published])
  const env = {
    CONSUMER_ISSUER: ISSUER,
    CONSUMER_AUDIENCE: AUDIENCE,
    CONSUMER_JWKS_URL: keys.url,
  }
  service = await startTestApp({ env })
})
afterAll(async () => {
  await service.stop()
  await keys.stop()
})

function tokenOf(subject: string, claims: Record<string, unknown> = {}): string {
  const iat = Math.floor(Date.now() / 1000)
  const common = { iss: ISSUER, aud: AUDIENCE, sub: subject, iat, exp: iat + 600 }
  return signToken({ key, claims: { ...common, ...claims } })
}

const bring = (subject: string, claims: Record<string, unknown>) =>
  service.call('PUT', '/v1/consumer/session', {
    token: tokenOf(subject),
    body: { identityToken: tokenOf(subject, claims) },
  })

const me = (subject: string) => service.call('GET', '/v1/consumer/me', { token: tokenOf(subject) })

type LinkedWallet = { address: string; kind: string; nativeAddress?: string }

const walletsOf = async (subject: string): Promise<LinkedWallet[]> =>
  (await me(subject)).body.wallets

const plain = (...addresses: string[]) => ({
  wallets: addresses.map((address) => ({ address, kind: 'external' })),
})

/** Privy encodes the linked accounts as a JSON string. */
const privy = (...accounts: Record<string, unknown>[]) => ({
  linked_accounts: JSON.stringify(accounts),
})

const privyWallet = (address: string, client: string, chain = 'ethereum') => ({
  type: 'wallet',
  address,
  chain_type: chain,
  wallet_client_type: client,
  lv: 1_700_000_000,
})

const scrambled = (address: string): string =>
  `0x${[...address.slice(2)].map((c, i) => (i % 2 ? c.toUpperCase() : c.toLowerCase())).join('')}`

describe('wallets from a plain `wallets` claim', () => {
  const upper = (address: string) => `0x${address.slice(2).toUpperCase()}`
  const spellings = { lower: (a: string) => a, upper, scrambled, checksummed: getAddress }

  test.each(Object.entries(spellings))(
    'in %s case are returned in EIP-55',
    async (_name, spell) => {
      const address = randomAddress()
      const { status, body } = await bring(randomUUID(), plain(spell(address as `0x${string}`)))
      expect(status).toBe(200)
      expect(body.wallets).toEqual([
        {
          id: expect.any(String),
          address: getAddress(address),
          kind: 'external',
          chainType: 'ethereum',
        },
      ])
    },
  )

  test('are linked once, in another case or twice in one token', async () => {
    const subject = randomUUID()
    const address = randomAddress()
    const { body: first } = await bring(subject, plain(address, scrambled(address)))
    const { status, body: again } = await bring(subject, plain(getAddress(address)))
    expect(status).toBe(200)
    expect(again).toEqual(first)
    expect(again.wallets).toHaveLength(1)
  })

  test('keep their kind: embedded or external', async () => {
    const [inside, outside] = [randomAddress(), randomAddress()]
    const { body } = await bring(randomUUID(), {
      wallets: [
        { address: inside, kind: 'embedded', chainType: 'ethereum' },
        { address: outside, kind: 'external' },
      ],
    })
    const kinds = body.wallets.map(({ address, kind }: LinkedWallet) => [address, kind])
    expect(new Map(kinds)).toEqual(
      new Map([
        [getAddress(inside), 'embedded'],
        [getAddress(outside), 'external'],
      ]),
    )
  })

  test('stay linked when a later token omits them', async () => {
    const subject = randomUUID()
    const [first, second] = [randomAddress(), randomAddress()]
    await bring(subject, plain(first))
    const { body } = await bring(subject, plain(second))
    const addresses = body.wallets.map(({ address }: LinkedWallet) => address)
    expect(addresses).toEqual([getAddress(first), getAddress(second)])
    expect((await bring(subject, {})).body.wallets).toEqual(body.wallets)
  })

  test('on Solana have the zero address and a native address', async () => {
    const subject = randomUUID()
    const [nativeAddress] = SOLANA
    const wallets = [{ address: nativeAddress, kind: 'embedded', chainType: 'solana' }]
    const { status, body } = await bring(subject, { wallets })
    expect(status).toBe(200)
    expect(body.wallets).toEqual([
      {
        id: expect.any(String),
        address: ZERO,
        kind: 'embedded',
        chainType: 'solana',
        nativeAddress,
      },
    ])
    expect((await bring(subject, { wallets })).body).toEqual(body)
  })
})

describe('wallets from Privy', () => {
  test("are embedded when Privy's own, and external from other clients", async () => {
    const [inside, outside] = [randomAddress(), randomAddress()]
    const claims = privy(privyWallet(inside, 'privy'), privyWallet(outside, 'metamask'))
    const { status, body } = await bring(randomUUID(), claims)
    expect(status).toBe(200)
    const kinds = body.wallets.map(({ address, kind }: LinkedWallet) => [address, kind])
    expect(new Map(kinds)).toEqual(
      new Map([
        [getAddress(inside), 'embedded'],
        [getAddress(outside), 'external'],
      ]),
    )
  })

  test('exclude e-mail, phone and unsupported chains', async () => {
    const address = randomAddress()
    const { status, body } = await bring(
      randomUUID(),
      privy(
        { type: 'email', address: 'ann@example.com', lv: 1 },
        { type: 'phone', phone_number: '+15551234', lv: 1 },
        { type: 'google_oauth', subject: '1', email: 'ann@example.com' },
        privyWallet('bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq', 'privy', 'bitcoin-segwit'),
        privyWallet(address, 'privy'),
      ),
    )
    expect(status).toBe(200)
    expect(body.wallets).toMatchObject([{ address: getAddress(address), kind: 'embedded' }])
  })

  test('on Solana have the zero address and a native address', async () => {
    const nativeAddress = SOLANA[1] ?? ''
    const claims = privy(privyWallet(nativeAddress, 'phantom', 'solana'))
    const { body } = await bring(randomUUID(), claims)
    expect(body.wallets).toMatchObject([
      { address: ZERO, kind: 'external', chainType: 'solana', nativeAddress },
    ])
  })

  const malformed: [string, Record<string, unknown>][] = [
    ['linked accounts that are not JSON', { linked_accounts: '[{' }],
    ['linked accounts that are not a list', { linked_accounts: '{}' }],
    ['an Ethereum wallet without an EVM address', privy(privyWallet('0x12', 'privy'))],
    ['a Solana wallet without a base58 address', privy(privyWallet('0OIl', 'privy', 'solana'))],
    ['a `wallets` claim that is not a list', { wallets: 'none' }],
  ]
  test.each(malformed)('with %s are 401, and no account is created', async (_name, claims) => {
    const subject = randomUUID()
    expect(outcome(await bring(subject, claims))).toBe('401 unauthenticated')
    expect(outcome(await me(subject))).toBe('401 session_required')
  })
})

describe('a wallet of another account', () => {
  const trailLength = async () => (await auditTrail(service.database, null)).length

  test('is 409 wallet_conflict, and a first session creates no account or link', async () => {
    const taken = randomAddress()
    const free = [randomAddress(), randomAddress()]
    await bring(randomUUID(), plain(taken))
    const length = await trailLength()
    const subject = randomUUID()
    const answer = await bring(subject, plain(...free, taken))
    expect(outcome(answer)).toBe('409 wallet_conflict')
    expect(outcome(await me(subject))).toBe('401 session_required')
    expect(await trailLength()).toBe(length)
    expect(outcome(await bring(randomUUID(), plain(...free)))).toBe('200')
  })

  test('leaves an existing account unchanged', async () => {
    const [taken, own, free] = [randomAddress(), randomAddress(), randomAddress()]
    const holder = randomUUID()
    await bring(holder, plain(taken))
    const subject = randomUUID()
    await bring(subject, plain(own))
    const before = (await me(subject)).body
    const length = await trailLength()
    const answer = await bring(subject, plain(free, own, scrambled(taken)))
    expect(outcome(answer)).toBe('409 wallet_conflict')
    expect((await me(subject)).body).toEqual(before)
    expect(await walletsOf(holder)).toMatchObject([{ address: getAddress(taken) }])
    expect(await trailLength()).toBe(length)
  })

  test('conflicts on Solana too', async () => {
    const address = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM'
    const wallets = [{ address, kind: 'external', chainType: 'solana' }]
    expect(outcome(await bring(randomUUID(), { wallets }))).toBe('200')
    expect(outcome(await bring(randomUUID(), { wallets }))).toBe('409 wallet_conflict')
  })

  test('is linked to exactly one of ten concurrent accounts', async () => {
    for (let round = 0; round < 5; round += 1) {
      const address = randomAddress()
      const subjects = Array.from({ length: 10 }, () => randomUUID())
      const answers = await Promise.all(subjects.map((subject) => bring(subject, plain(address))))
      expect(tally(answers)).toEqual({ 200: 1, '409 wallet_conflict': 9 })
      const seen = await Promise.all(subjects.map(me))
      expect(tally(seen)).toEqual({ 200: 1, '401 session_required': 9 })
    }
  })

  test('is never split from the others when two accounts race with several wallets', async () => {
    const [a, b, c] = [randomAddress(), randomAddress(), randomAddress()].sort()
    const subjects = [randomUUID(), randomUUID()] as const
    const answers = await Promise.all([
      bring(subjects[0], plain(a ?? '', b ?? '')),
      bring(subjects[1], plain(b ?? '', c ?? '')),
    ])
    expect(tally(answers)).toEqual({ 200: 1, '409 wallet_conflict': 1 })
    const winner = answers[0].status === 200 ? subjects[0] : subjects[1]
    expect(await walletsOf(winner)).toHaveLength(2)
  })
})
