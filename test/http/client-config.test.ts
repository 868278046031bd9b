/** What applications read about a deployment before anybody signs in. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { outcome } from '#test/support/steps.ts'

const URL = '/v1/consumer/config'
let service: TestApp

beforeAll(async () => {
  service = await startTestApp({ env: { ORGANIZATION_JOIN: 'owner_confirms' } })
})
afterAll(() => service.stop())

describe('GET /v1/consumer/config', () => {
  test('describes chain, token, limits and features without a token', async () => {
    const { status, body, headers } = await service.call('GET', URL)
    expect(status).toBe(200)
    expect(headers['cache-control']).toBe('public, max-age=300')
    expect(body).toEqual({
      chain: {
        id: 31_337,
        name: 'Local chain',
        nativeSymbol: 'ETH',
        confirmations: 1,
        explorer: null,
      },
      token: { symbol: 'USDC', address: `0x${'00'.repeat(19)}01`, decimals: 6 },
      limits: {
        requestBodyBytes: 65_536,
        attachmentBytes: 10 * 1024 * 1024,
        lengths: {
          organizationName: 100,
          recipientLabel: 100,
          vaultLabel: 100,
          walletPurpose: 100,
          expensePurpose: 2_000,
          reviewReason: 1_000,
          comment: 4_000,
          supportSubject: 200,
          deviceLabel: 100,
        },
        counts: {
          policyApprovers: 32,
          recipientChanges: 500,
          expenseRevisions: 100,
          expenseComments: 20_000,
          pushDevices: 10,
        },
        quotas: service.ctx.config.limits.quotas,
        requestsPerMinute: 1_000_000,
        streamsPerAccount: 5,
      },
      features: {
        push: false,
        email: false,
        walletLinks: false,
        funding: true,
        model: false,
        walletProvider: 'local',
        paymentRelease: 'automatic',
        organizationJoin: 'owner_confirms',
      },
    })
  })

  test('is the same with any token, valid or not', async () => {
    const { token } = await service.signIn()
    const { text } = await service.call('GET', URL)
    for (const given of [token, await service.operatorToken(), 'no-token']) {
      expect((await service.call('GET', URL, { token: given })).text).toBe(text)
    }
  })

  test('answers 304 without a body to its own ETag', async () => {
    const { headers } = await service.call('GET', URL)
    const etag = String(headers.etag)
    const known = await service.call('GET', URL, { headers: { 'if-none-match': etag } })
    expect([known.status, known.text, known.headers.etag]).toEqual([304, '', etag])
    const stale = await service.call('GET', URL, { headers: { 'if-none-match': '"other"' } })
    expect(stale.status).toBe(200)
  })
})

describe('another deployment', () => {
  const SECRETS = {
    RPC_URLS: 'https://node.example/rpc-key-canary',
    ANALYST_API_KEY: 'analyst-canary',
    KEYSTORE_SECRET: 'keystore-canary-0123456789abcdefghij',
    WORKER_SECRET: 'worker-canary-0123456789abcdefghijkl',
  }

  test('names its chain, explorer and features, and no secret', async () => {
    const base = await startTestApp({
      env: {
        ...SECRETS,
        CHAIN_ID: '8453',
        CONFIRMATIONS: '100',
        ANALYST_URL: 'https://model.example/v1',
        ANALYST_MODEL: 'reviewer',
        WALLET_PROVIDER: 'none',
        PAYMENT_RELEASE: 'manual',
        ORGANIZATIONS_PER_ACCOUNT: '3',
      },
    })
    try {
      const { body, text, headers } = await base.call('GET', URL)
      expect(body).toMatchObject({
        chain: {
          id: 8_453,
          name: 'Base',
          confirmations: 100,
          explorer: {
            transactionUrl: 'https://basescan.org/tx/{transactionHash}',
            addressUrl: 'https://basescan.org/address/{address}',
            blockUrl: 'https://basescan.org/block/{blockNumber}',
          },
        },
        limits: { quotas: { organizationsPerAccount: 3 } },
        features: { model: true, funding: false, walletProvider: null, paymentRelease: 'manual' },
      })
      expect(text).not.toMatch(/canary|node\.example|model\.example/)
      const own = await service.call('GET', URL)
      expect(headers.etag).not.toBe(own.headers.etag)
    } finally {
      await base.stop()
    }
  })

  test('limits how often an address may ask', async () => {
    const strict = await startTestApp({ env: { RATE_LIMIT_PER_ADDRESS: '2' } })
    try {
      const outcomes: string[] = []
      for (const _ of [1, 2, 3]) outcomes.push(outcome(await strict.call('GET', URL)))
      expect(outcomes).toEqual(['200', '200', '429 rate_limited'])
    } finally {
      await strict.stop()
    }
  })
})
