/** `WalletProvider` with encrypted keys in the local keystore: the development default. */
import { generateKeyPairSync } from 'node:crypto'
import { base58 } from '@scure/base'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { lowerCased } from '#platform/values.ts'
import type {
  HeldWallet,
  WalletChain,
  WalletProvider,
  WalletTerms,
} from '#ports/wallet-provider.ts'
import { type MasterKeys, open, seal } from './keystore.ts'
import { sealToRecipient } from './seal-to-recipient.ts'

const POINT_BYTES = 65

/** The authenticated name of the sealed key. */
export const walletKeyName = ({ walletId, address }: { walletId: string; address: string }) =>
  `wallet:${walletId}:${address}`

type Key = { address: string; secret: Buffer }

function makeEthereumKey(): Key {
  const key = generatePrivateKey()
  return {
    address: lowerCased(privateKeyToAddress(key)),
    secret: Buffer.from(key.slice(2), 'hex'),
  }
}

/** Solana's key format: the seed followed by the public key. */
function makeSolanaKey(): Key {
  const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  const point = Buffer.from(x, 'base64url')
  return {
    address: base58.encode(point),
    secret: Buffer.concat([Buffer.from(d, 'base64url'), point]),
  }
}

const makeKey: Record<WalletChain, () => Key> = {
  ethereum: makeEthereumKey,
  solana: makeSolanaKey,
}

const asText: Record<WalletChain, (secret: Buffer) => string> = {
  ethereum: (secret) => `0x${secret.toString('hex')}`,
  solana: (secret) => base58.encode(secret),
}

/** For processes that hold no keys. */
export const localWalletTerms: WalletTerms = {
  type: 'local',
  describeExport: ({ walletId }) => ({
    url: `countersign://keystore/wallets/${walletId}/export`,
    headers: {},
  }),
}

export const createLocalWallets = (keys: MasterKeys): WalletProvider => ({
  ...localWalletTerms,
  check: async () => 'ready',
  async create({ walletId, chainType }) {
    const { address, secret } = makeKey[chainType]()
    const name = walletKeyName({ walletId, address })
    const reference = seal(keys.current, { name, secret })
    secret.fill(0)
    return { outcome: 'created', address, reference }
  },
  async exportKey({ recipientPublicKey, ...wallet }) {
    const recipient = Buffer.from(recipientPublicKey, 'base64').subarray(-POINT_BYTES)
    return { outcome: 'sealed', ...(await sealKey(keys, wallet, recipient)) }
  },
})

/** The plaintext key exists only in this function and is overwritten afterwards. */
async function sealKey(keys: MasterKeys, wallet: HeldWallet, recipient: Uint8Array) {
  const secret = open(keys, { name: walletKeyName(wallet), box: wallet.reference })
  const plain = Buffer.from(asText[wallet.chainType](secret))
  try {
    const { encapsulated, ciphertext } = await sealToRecipient({ recipient, plain })
    return {
      encapsulatedKey: encapsulated.toString('base64'),
      ciphertext: ciphertext.toString('base64'),
    }
  } finally {
    secret.fill(0)
    plain.fill(0)
  }
}
