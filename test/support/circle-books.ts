/** State of the Circle emulator: credentials, wallets and delegated transactions. */
import {
  constants,
  generateKeyPairSync,
  privateDecrypt,
  randomBytes,
  randomUUID,
} from 'node:crypto'
import {
  type Account,
  type AccountType,
  type CircleChain,
  createAccounts,
} from '#test/support/circle-chain.ts'
import { createTransactions } from '#test/support/circle-transactions.ts'

export type EmulatedWallet = {
  id: string
  address: string
  blockchain: string
  walletSetId: string
  accountType: AccountType
  state: 'LIVE' | 'FROZEN'
  refId: string | undefined
}

export type Json = Record<string, unknown>
export type Reply = { status: number; body: Json }

export const refusal = (status: number, code: number, message: string): Reply => ({
  status,
  body: { code, message },
})

/** Each ciphertext decrypts to the entity's secret and is used once. */
function createSecret() {
  const entitySecret = randomBytes(32)
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const ciphertexts = new Set<string>()
  const opens = (ciphertext: string): boolean => {
    const padding = constants.RSA_PKCS1_OAEP_PADDING
    try {
      const bytes = Buffer.from(ciphertext, 'base64')
      const secret = privateDecrypt({ key: privateKey, padding, oaepHash: 'sha256' }, bytes)
      return bytes.toString('base64') === ciphertext && secret.equals(entitySecret)
    } catch {
      return false
    }
  }
  return {
    entitySecret,
    ciphertexts,
    publicKey: () => ({ publicKey: publicKey.export({ format: 'pem', type: 'spki' }) }),
    secretProblem(ciphertext: unknown): Reply | undefined {
      if (typeof ciphertext !== 'string') return refusal(400, 2, 'API parameter invalid')
      if (ciphertexts.has(ciphertext)) return refusal(400, 156_004, 'A reused ciphertext')
      if (!opens(ciphertext)) return refusal(400, 156_013, 'The entity secret is invalid')
      ciphertexts.add(ciphertext)
      return undefined
    },
  }
}

type Options = { chain: CircleChain | undefined; blockchain: string }

/** Its state, and each operation on it. */
export function createBooks({ chain, blockchain }: Options) {
  const part = () => randomBytes(16).toString('hex')
  const accounts = createAccounts(chain)
  const walletSets: { id: string; name: string | undefined }[] = []
  const wallets: EmulatedWallet[] = []
  const opened = new Map<string, Account>()
  const accountOf = (walletId: string): Account => {
    const account = opened.get(walletId)
    if (!account) throw new Error('There is no such wallet')
    return account
  }
  return {
    ...createSecret(),
    ...createTransactions({ accountOf: chain && accountOf, blockchain }),
    ...{ blockchain, walletSets, wallets },
    apiKey: `TEST_API_KEY:${part()}:${part()}`,
    createWalletSet({ name }: Json): Json {
      const walletSet = { id: randomUUID(), name: name as string | undefined }
      walletSets.push(walletSet)
      return { walletSet: { ...walletSet, custodyType: 'DEVELOPER' } }
    },
    async createWallets({ walletSetId, accountType: type = 'EOA', metadata }: Json): Promise<Json> {
      const accountType = type as AccountType
      const account = await accounts.open(accountType)
      const [{ refId }] = (metadata ?? [{}]) as [{ refId?: string }]
      const address = account.address.toLowerCase()
      const own = { id: randomUUID(), address, blockchain, refId }
      const wallet: EmulatedWallet = {
        ...own,
        walletSetId: String(walletSetId),
        accountType,
        state: 'LIVE',
      }
      opened.set(wallet.id, account)
      wallets.push(wallet)
      return { wallets: [{ ...wallet, custodyType: 'DEVELOPER' }] }
    },
    findWallet: (id: string) => wallets.find((wallet) => wallet.id === id),
  }
}

export type Books = ReturnType<typeof createBooks>
