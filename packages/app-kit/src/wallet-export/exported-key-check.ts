/** Whether an exported key is the one of the wallet, computed in the page. */

export type KeyCheck =
  | 'own'
  | 'not_own'
  /** This browser cannot compute it. Said to the person: the key may still be the wrong one. */
  | 'unchecked'

type Wallet = {
  chainType: 'ethereum' | 'solana'
  /** In base58 for Solana. */
  address: string
}

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/** Null if it is not base58, or does not have this many bytes. */
export function bytesOfBase58(text: string, length: number): Uint8Array<ArrayBuffer> | null {
  let value = 0n
  for (const character of text) {
    const digit = BASE58.indexOf(character)
    if (digit < 0) return null
    value = value * 58n + BigInt(digit)
  }
  const zeros = /^1*/.exec(text)?.[0].length ?? 0
  const hex = value === 0n ? '' : value.toString(16)
  const digits = hex.padStart(hex.length + (hex.length % 2), '0')
  if (zeros + digits.length / 2 !== length) return null
  return Uint8Array.from({ length }, (_, index) =>
    index < zeros ? 0 : Number.parseInt(digits.slice((index - zeros) * 2).slice(0, 2), 16),
  )
}

/** A seed of Ed25519 in PKCS #8 (RFC 8410), up to the seed itself. */
const PKCS8 = [0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20]

const sameBytes = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, index) => byte === other[index])

/** The seed and its public key, which is the address. */
async function checkSolana(key: string, address: string): Promise<KeyCheck> {
  const [secret, expected] = [bytesOfBase58(key, 64), bytesOfBase58(address, 32)]
  if (!secret || !expected || !sameBytes(secret.slice(32), expected)) return 'not_own'
  const { subtle } = crypto
  const pkcs8 = Uint8Array.from([...PKCS8, ...secret.slice(0, 32)])
  try {
    const signs = await subtle.importKey('pkcs8', pkcs8, 'Ed25519', false, ['sign'])
    const verifies = await subtle.importKey('raw', expected, 'Ed25519', false, ['verify'])
    const text = crypto.getRandomValues(new Uint8Array(32))
    const signature = await subtle.sign('Ed25519', signs, text)
    return (await subtle.verify('Ed25519', verifies, signature, text)) ? 'own' : 'not_own'
  } catch (error) {
    // Older browsers have no Ed25519. Anything else is a key that is none.
    const isMissing = error instanceof DOMException && error.name === 'NotSupportedError'
    return isMissing ? 'unchecked' : 'not_own'
  }
}

async function checkEthereum(key: string, address: string): Promise<KeyCheck> {
  const { privateKeyToAccount } = await import('viem/accounts')
  try {
    const own = privateKeyToAccount(key as `0x${string}`).address
    return own.toLowerCase() === address.toLowerCase() ? 'own' : 'not_own'
  } catch {
    return 'not_own'
  }
}

/** Never throws: a check that cannot be made says so. */
export const checkKey = (key: string, { chainType, address }: Wallet): Promise<KeyCheck> =>
  (chainType === 'solana' ? checkSolana(key, address) : checkEthereum(key, address)).catch(
    () => 'unchecked' as const,
  )
