/**
 * `WalletProvider` over Privy. The configured key quorum owns every wallet; our authorization key
 * signs for the quorum. Privy seals an exported key to its recipient, so this service passes it on
 * without being able to open it.
 */
import { isEvmAddress } from '@countersign/proof/values.ts'
import { base58 } from '@scure/base'
import { timestampToMilliseconds } from '#platform/clock.ts'
import type { PrivyConfig, PrivyTerms } from '#platform/config/wallets.ts'
import { AppError } from '#platform/errors.ts'
import { optional, ProviderId } from '#platform/http-client/provider-client.ts'
import { fits, type Static, Type } from '#platform/schema.ts'
import { lowerCased } from '#platform/values.ts'
import type {
  ExportedKey,
  ProvidedWallet,
  WalletChain,
  WalletExport,
  WalletProvider,
  WalletTerms,
} from '#ports/wallet-provider.ts'
import {
  createPrivyClient,
  type PrivyAnswer,
  type PrivyClient,
  privyUnavailable,
  signedHeaders,
} from './privy-client.ts'

const ED25519_BYTES = 32
const ENCAPSULATED_BYTES = 65
const CIPHERTEXT_BYTES_MAX = 4_096

const Wallet = Type.Object({
  id: ProviderId,
  address: Type.String(),
  chain_type: Type.String(),
  external_id: optional(Type.String()),
})

const SealedKey = Type.Object({
  encryption_type: Type.Literal('HPKE'),
  encapsulated_key: Type.String({ maxLength: 2 * CIPHERTEXT_BYTES_MAX }),
  ciphertext: Type.String({ maxLength: 2 * CIPHERTEXT_BYTES_MAX }),
})

/** The id becomes part of a signed path, so its format is checked. */
function idOf(reference: Uint8Array): string {
  const id = Buffer.from(reference).toString()
  if (!fits(ProviderId, id)) throw new AppError('export_unusable')
  return id
}
const pathOf = ({ reference }: Pick<WalletExport, 'reference'>): string =>
  `/v1/wallets/${idOf(reference)}/export`

/** For processes that hold no keys. */
export const privyWalletTerms = ({
  url,
  appId,
}: Pick<PrivyTerms, 'url' | 'appId'>): WalletTerms => ({
  type: 'privy',
  describeExport: (input) => ({
    url: `${url}${pathOf(input)}`,
    headers: signedHeaders(appId, { expiryMs: timestampToMilliseconds(input.expiresAt) }),
  }),
})

export function createPrivyWallets(options: PrivyConfig & { timeoutMs?: number }): WalletProvider {
  const client = createPrivyClient(options)
  return {
    ...privyWalletTerms(options),
    check: () => check(client),
    create: (input) => create(client, { ...input, ownerId: options.ownerId }),
    exportKey: (input) => exportKey(client, input),
  }
}

/** Reads a wallet that does not exist: Privy answers 404 only if our credentials are valid. */
async function check(client: PrivyClient): Promise<'ready' | 'rejects_credentials'> {
  const answer = await client.get('/v1/wallets/ext_wal_health-check')
  const isKnown = answer.outcome === 'done' || answer.status === 404
  return isKnown ? 'ready' : 'rejects_credentials'
}

type Creation = { walletId: string; chainType: WalletChain; isRepeat: boolean; ownerId: string }

/**
 * Privy forgets an idempotency key after a day but never an external id. So a repeated request
 * first looks the wallet up by its external id.
 */
async function create(
  client: PrivyClient,
  { walletId, chainType, isRepeat, ownerId }: Creation,
): Promise<ProvidedWallet> {
  if (isRepeat) {
    const found = await client.get(`/v1/wallets/ext_wal_${walletId}`)
    if (found.outcome === 'done') return walletIn(found, { walletId, chainType })
    if (found.status !== 404) return { outcome: 'refused', code: found.code }
  }
  const answer = await client.post({
    path: '/v1/wallets',
    body: { chain_type: chainType, external_id: walletId, owner_id: ownerId },
    idempotencyKey: walletId,
  })
  return walletIn(answer, { walletId, chainType })
}

function walletIn(
  answer: PrivyAnswer,
  { walletId, chainType }: Pick<Creation, 'walletId' | 'chainType'>,
): ProvidedWallet {
  if (answer.outcome === 'refused') return { outcome: 'refused', code: answer.code }
  const wallet = fits(Wallet, answer.body) ? answer.body : undefined
  if (wallet?.chain_type !== chainType || (wallet.external_id ?? walletId) !== walletId) {
    throw privyUnavailable('answered with another wallet')
  }
  return {
    outcome: 'created',
    address: addressIn(chainType, wallet),
    reference: Buffer.from(wallet.id),
  }
}

function addressIn(chainType: WalletChain, { address }: Static<typeof Wallet>): string {
  if (chainType === 'ethereum' && isEvmAddress(address)) return lowerCased(address)
  if (chainType === 'solana' && isSolanaAddress(address)) return address
  throw privyUnavailable('answered with an address of another chain')
}

function isSolanaAddress(address: string): boolean {
  try {
    return base58.decode(address).length === ED25519_BYTES
  } catch {
    return false
  }
}

async function exportKey(
  client: PrivyClient,
  { recipientPublicKey, expiresAt, reference }: Parameters<WalletProvider['exportKey']>[0],
): Promise<ExportedKey> {
  const answer = await client.post({
    path: pathOf({ reference }),
    body: { encryption_type: 'HPKE', recipient_public_key: recipientPublicKey },
    expiryMs: timestampToMilliseconds(expiresAt),
    isAuthorized: true,
  })
  if (answer.outcome === 'refused') return { outcome: 'refused', code: answer.code }
  const key = fits(SealedKey, answer.body) ? answer.body : undefined
  const size = bytesIn(key?.ciphertext ?? '')
  const isSizeValid = size > 0 && size <= CIPHERTEXT_BYTES_MAX
  if (!key || !isSizeValid || bytesIn(key.encapsulated_key) !== ENCAPSULATED_BYTES) {
    throw privyUnavailable('answered an export in an unknown format')
  }
  return {
    outcome: 'sealed',
    encapsulatedKey: key.encapsulated_key,
    ciphertext: key.ciphertext,
  }
}

/** Decoded length of canonical base64; 0 for anything else. */
function bytesIn(value: string): number {
  const bytes = Buffer.from(value, 'base64')
  return bytes.toString('base64') === value ? bytes.length : 0
}
