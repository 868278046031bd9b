import { describe, expect, test } from 'vitest'
import { privyWalletTerms } from './privy-wallets.ts'

const terms = privyWalletTerms({ url: 'https://privy.example', appId: 'app' })

const describeExport = (reference: string) =>
  terms.describeExport({
    walletId: '0198a000-0000-7000-8000-000000000001',
    address: `0x${'ab'.repeat(20)}`,
    chainType: 'ethereum',
    reference: Buffer.from(reference),
    requestId: '0198a000-0000-7000-8000-000000000002',
    expiresAt: '2026-11-17T12:00:00.000Z',
    recipientPublicKey: Buffer.alloc(0),
  } as Parameters<typeof terms.describeExport>[0])

describe('the path of an export at Privy', () => {
  test('names the wallet', () => {
    expect(describeExport('wal_1').url).toBe('https://privy.example/v1/wallets/wal_1/export')
  })

  test.each(['victim/export?', '../wallets/victim', 'victim%2fexport', 'a b', ''])(
    'refuses the reference %j, which would change the path',
    (reference) => {
      expect(() => describeExport(reference)).toThrow(
        expect.objectContaining({ code: 'export_unusable' }),
      )
    },
  )
})
