/** What the emulated Privy knows and checks: its wallets, its bodies, its keys and signatures. */
import { createHash, createPublicKey, generateKeyPairSync, randomBytes, verify } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { sealTo } from '#test/support/hpke.ts'
import { toBase58 } from '#test/support/solana.ts'

export type EmulatedWallet = {
  id: string
  address: string
  chain_type: string
  external_id: string | null
  owner_id: string | null
  created_at: number
  /** As an export gives it. */
  privateKey: string
}

export type Operation = 'create' | 'find' | 'export'

export type Refusal = { status: number; code: string; error: string }
export type Done = { status: 200; body: unknown }
type Json = Record<string, unknown>

export const APP_ID = 'emulated-app-1'
export const OWNER_ID = 'quorum-1'

const refusal = (status: number, error: string, code = 'invalid_data'): Refusal => ({
  ...{ status, error, code },
})

/** RFC 8785 for the values that occur here: text, whole numbers, objects. */
const canonical = (value: unknown): string => {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  const pairs = entries.map(([name, part]) => `${JSON.stringify(name)}:${canonical(part)}`)
  return `{${pairs.join(',')}}`
}

type Check = (value: unknown) => boolean
const isText =
  (max: number): Check =>
  (value) =>
    typeof value === 'string' && value.length >= 1 && value.length <= max

const shapes: Record<'create' | 'export', { needs: string[]; fields: Record<string, Check> }> = {
  create: {
    needs: ['chain_type'],
    fields: {
      chain_type: (value) => value === 'ethereum' || value === 'solana',
      display_name: isText(100),
      external_id: (value) => /^[A-Za-z0-9_-]{1,64}$/.test(String(value)),
      policy_ids: (value) => Array.isArray(value) && value.length <= 1,
      owner: (value) => typeof value === 'object',
      owner_id: (value) => value === OWNER_ID,
      additional_signers: Array.isArray,
    },
  },
  export: {
    needs: ['encryption_type', 'recipient_public_key'],
    fields: {
      encryption_type: (value) => value === 'HPKE',
      recipient_public_key: isSpkiOfP256,
      export_seed_phrase: (value) => typeof value === 'boolean',
    },
  },
}

function isSpkiOfP256(value: unknown): boolean {
  try {
    const der = Buffer.from(String(value), 'base64')
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' })
    const isWhole = der.length === 91 && der.toString('base64') === value
    return isWhole && key.asymmetricKeyDetails?.namedCurve === 'prime256v1'
  } catch {
    return false
  }
}

function shapeProblem(operation: 'create' | 'export', body: Json): Refusal | undefined {
  const { needs, fields } = shapes[operation]
  const missing = needs.filter((name) => !(name in body))
  const wrong = Object.entries(body).filter(([name, value]) => !fields[name]?.(value))
  const named = [...missing, ...wrong.map(([name]) => name)]
  return named.length > 0 ? refusal(400, `Invalid input: ${named.join(', ')}`) : undefined
}

function makeKeys(chainType: unknown): Pick<EmulatedWallet, 'address' | 'privateKey'> {
  if (chainType === 'ethereum') {
    const privateKey = generatePrivateKey()
    return { privateKey, address: privateKeyToAddress(privateKey) }
  }
  const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  const point = Buffer.from(x, 'base64url')
  const whole = Buffer.concat([Buffer.from(d, 'base64url'), point])
  return { privateKey: toBase58(whole), address: toBase58(point) }
}

/** What Privy answers of a wallet: its key stays inside. */
const shown = ({ privateKey: _inside, ...wallet }: EmulatedWallet) => ({
  ...wallet,
  policy_ids: [],
  additional_signers: [],
  exported_at: null,
  imported_at: null,
})

/** Its state, and each operation on it. */
export function createBooks() {
  const secret = randomBytes(24).toString('base64url')
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const wallets: EmulatedWallet[] = []
  const exports: { walletId: string; ciphertext: string }[] = []
  const remembered = new Map<string, { print: string; answer: Done | Refusal }>()
  let isDenied = false

  const find = (name: string) =>
    wallets.find(({ id, external_id: own }) => id === name || `ext_wal_${own}` === name)

  function create(body: Json): Done | Refusal {
    const externalId = (body.external_id as string) ?? null
    if (externalId !== null && find(`ext_wal_${externalId}`)) {
      return refusal(400, 'A wallet with this external id exists')
    }
    const wallet: EmulatedWallet = {
      id: `w${randomBytes(11).toString('hex')}`,
      ...makeKeys(body.chain_type),
      chain_type: String(body.chain_type),
      external_id: externalId,
      owner_id: (body.owner_id as string) ?? null,
      created_at: Date.now(),
    }
    wallets.push(wallet)
    return { status: 200, body: shown(wallet) }
  }

  async function exportKey(wallet: EmulatedWallet, body: Json): Promise<Done | Refusal> {
    if (isDenied) return refusal(400, 'Request denied due to policy violation', 'policy_violation')
    const sealed = await sealTo(String(body.recipient_public_key), wallet.privateKey)
    const { encapsulated, ciphertext } = sealed
    exports.push({ walletId: wallet.id, ciphertext })
    return {
      status: 200,
      body: { encryption_type: 'HPKE', encapsulated_key: encapsulated, ciphertext },
    }
  }

  /** Same key and same body: the first answer. Same key and another body: a refusal. */
  async function onceFor(
    key: string | undefined,
    print: string,
    work: () => Promise<Done | Refusal> | Done | Refusal,
  ): Promise<Done | Refusal> {
    const first = key === undefined ? undefined : remembered.get(key)
    if (first && first.print !== print) {
      return refusal(400, 'Idempotency key was reused for a request with a new body')
    }
    const answer = first?.answer ?? (await work())
    if (key !== undefined) remembered.set(key, { print, answer })
    return answer
  }

  return {
    ...{ secret, privateKey, publicKey, wallets, exports, find, create, exportKey, onceFor },
    forgetKeys: () => remembered.clear(),
    denyExports: (denied: boolean) => {
      isDenied = denied
    },
  }
}

export type Books = ReturnType<typeof createBooks>
export type Received = {
  method: string
  path: string
  headers: IncomingMessage['headers']
  body: Json
}

export const operationOf = ({
  method,
  path,
}: Pick<Received, 'method' | 'path'>): Operation | 'unknown' => {
  if (method === 'POST' && path === '/v1/wallets') return 'create'
  if (method === 'GET' && /^\/v1\/wallets\/[\w-]+$/.test(path)) return 'find'
  if (method === 'POST' && /^\/v1\/wallets\/[\w-]+\/export$/.test(path)) return 'export'
  return 'unknown'
}

const headerOf = ({ headers }: Received, name: string): string | undefined => {
  const value = headers[name]
  return typeof value === 'string' ? value : undefined
}

function credentialProblem(books: Books, received: Received): Refusal | undefined {
  const basic = Buffer.from(`${APP_ID}:${books.secret}`).toString('base64')
  if (headerOf(received, 'authorization') !== `Basic ${basic}`) {
    return refusal(401, 'Invalid app credentials', 'unauthorized')
  }
  if (headerOf(received, 'privy-app-id') !== APP_ID) return refusal(400, 'Missing privy-app-id')
  const isJson = headerOf(received, 'content-type') === 'application/json'
  if (received.method === 'POST' && !isJson) return refusal(415, 'Not JSON')
  return undefined
}

/** The owner's signature over exactly this request, and not past its time. */
function authorizationProblem(books: Books, url: string, received: Received): Refusal | undefined {
  const named = ['privy-app-id', 'privy-idempotency-key', 'privy-request-expiry']
  const headers = Object.fromEntries(
    named.flatMap((name) => {
      const value = headerOf(received, name)
      return value === undefined ? [] : [[name, value]]
    }),
  )
  const expiry = headers['privy-request-expiry']
  if (expiry !== undefined && !(/^[0-9]{13}$/.test(expiry) && Number(expiry) > Date.now())) {
    return refusal(400, 'The request has expired')
  }
  const { method, path, body } = received
  const payload = canonical({ version: 1, method, url: `${url}${path}`, body, headers })
  const signature = headerOf(received, 'privy-authorization-signature') ?? ''
  const bytes = Buffer.from(signature, 'base64')
  const isGood = bytes.length > 0 && verify('sha256', Buffer.from(payload), books.publicKey, bytes)
  return isGood ? undefined : refusal(401, 'No valid authorization signatures were provided')
}

export async function answer(
  books: Books,
  url: string,
  received: Received,
): Promise<Done | Refusal> {
  const credentials = credentialProblem(books, received)
  if (credentials) return credentials
  const operation = operationOf(received)
  if (operation === 'unknown') return refusal(404, 'Not found', 'not_found')
  const key = headerOf(received, 'privy-idempotency-key')
  const print = createHash('sha256')
    .update(canonical([received.path, received.body]))
    .digest('hex')
  if (operation === 'create') {
    const problem = shapeProblem('create', received.body)
    return problem ?? books.onceFor(key, print, () => books.create(received.body))
  }
  const [, , , name = ''] = received.path.split('/')
  const wallet = books.find(name)
  if (!wallet) return refusal(404, 'Wallet not found', 'not_found')
  if (operation === 'find') return { status: 200, body: shown(wallet) }
  const problem =
    shapeProblem('export', received.body) ?? authorizationProblem(books, url, received)
  return problem ?? books.onceFor(key, print, () => books.exportKey(wallet, received.body))
}
