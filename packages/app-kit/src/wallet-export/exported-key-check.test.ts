import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { bytesOfBase58, checkKey } from './exported-key-check.ts'

afterEach(() => void vi.restoreAllMocks())

const key = generatePrivateKey()
const ethereum = {
  key,
  others: generatePrivateKey(),
  wallet: { chainType: 'ethereum' as const, address: privateKeyToAddress(key) },
}

/** Of the seeds that are 32 times 7, and 32 times 9. */
const solana = {
  key: '99eUso3aSbE9tqGSTXzo3TLfKb9RkMTURrHKQ1K7Zh3StnzFNUx8FKCPPPPpR479qsw5zv2WNBKmgiz7WqgAJfM',
  others: 'BUguQsv2ZuHus54HAFzjdJHzZBkygAjKhEeYwSG19tUwuftFhkkkEFDzcow9XDkfD3qGi1Yb3LV15ufdrKJ226T',
  /** The seed of the other, and the public half of this one. */
  mixed: 'BUguQsv2ZuHus54HAFzjdJHzZBkygAjKhEeYwSG19tUveHVW6g2gHafJoh5jCV6hbHoeXUtw7rBhanyVtsKskmy',
  wallet: {
    chainType: 'solana' as const,
    address: 'GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB',
  },
}

describe.each([
  ['Ethereum', ethereum],
  ['Solana', solana],
] as const)('the key of a wallet on %s', (_chain, { key, others, wallet }) => {
  it('is its own', async () => {
    expect(await checkKey(key, wallet)).toBe('own')
  })

  it('is not that of another wallet', async () => {
    expect(await checkKey(others, wallet)).toBe('not_own')
  })

  it.each(['', '0x', '0x12', 'l', 'not a key', '1'.repeat(64), `0x${'00'.repeat(32)}`])(
    'is not %j',
    async (text) => expect(await checkKey(text, wallet)).toBe('not_own'),
  )
})

describe("a Solana wallet's key", () => {
  it('does not pass with the right public half behind another seed', async () => {
    expect(await checkKey(solana.mixed, solana.wallet)).toBe('not_own')
  })

  it('is said to be unchecked where the browser lacks Ed25519', async () => {
    const missing = new DOMException('no Ed25519', 'NotSupportedError')
    vi.spyOn(crypto.subtle, 'importKey').mockRejectedValue(missing)
    expect(await checkKey(solana.key, solana.wallet)).toBe('unchecked')
  })
})

it('reads base58 with leading zeros', () => {
  expect(bytesOfBase58('119p', 4)).toEqual(Uint8Array.from([0, 0, 1, 255]))
  expect(bytesOfBase58('119p', 5)).toBeNull()
})
