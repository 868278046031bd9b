/** The wallets of an ID token: in Privy's `linked_accounts`, or in a plain `wallets` claim. */
import { isEvmAddress } from '@countersign/proof/values.ts'
import type { JWTPayload } from 'jose'
import { lowerCased } from '#platform/values.ts'
import type { LinkedWallet } from '#ports/identity-provider.ts'
import { TokenRefused } from './token-refusal.ts'

type Entry = Record<string, unknown>

const record = (value: unknown): Entry =>
  typeof value === 'object' && value !== null ? (value as Entry) : {}

/** The claim can contain e-mail addresses and other personal data, so it is not logged. */
const malformed = (claim: 'linked_accounts' | 'wallets') =>
  new TokenRefused({ claim, expected: 'a list of wallets', found: 'something else' })

/** A smart wallet is a contract on an EVM chain, controlled by its holder's other wallet. */
const isWallet = ({ type }: Entry): boolean => type === 'wallet' || type === 'smart_wallet'

/** Privy sends its array as a JSON string, with other accounts among the wallets. */
function privyWallets({ linked_accounts: accounts }: JWTPayload): Entry[] {
  if (accounts === undefined) return []
  try {
    const list: unknown = typeof accounts === 'string' ? JSON.parse(accounts) : accounts
    if (Array.isArray(list)) return list.map(record).filter(isWallet)
  } catch {}
  throw malformed('linked_accounts')
}

function plainWallets({ wallets = [] }: JWTPayload): Entry[] {
  if (!Array.isArray(wallets)) throw malformed('wallets')
  const list = wallets.map(record)
  const isKnown = ({ kind }: Entry) => kind === 'embedded' || kind === 'external'
  if (!list.every(isKnown)) throw malformed('wallets')
  return list
}

/**
 * Wallets of unsupported chains are ignored; a malformed entry refuses the token.
 * The EIP-55 checksum is not required: it detects typing errors, and the provider signs the claim.
 */
export function linkedWallets(payload: JWTPayload): LinkedWallet[] {
  return [...privyWallets(payload), ...plainWallets(payload)].flatMap((entry): LinkedWallet[] => {
    const chainType = entry.chain_type ?? entry.chainType ?? 'ethereum'
    const isPrivys = entry.wallet_client_type === 'privy' || entry.wallet_client_type === 'privy-v2'
    const isEmbedded = isPrivys || entry.kind === 'embedded'
    const kind = isEmbedded ? ('embedded' as const) : ('external' as const)
    const { address } = entry
    if (chainType === 'ethereum') {
      if (!isEvmAddress(address)) throw malformed('wallets')
      return [{ chainType, kind, address: lowerCased(address) }]
    }
    if (chainType === 'solana') {
      if (typeof address !== 'string' || !/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(address)) {
        throw malformed('wallets')
      }
      return [{ chainType, kind, nativeAddress: address }]
    }
    return []
  })
}
