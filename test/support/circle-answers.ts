/** Request handling of the Circle emulator: authentication, format and idempotency. */
import type { IncomingMessage } from 'node:http'
import { type Books, type Json, type Reply, refusal } from '#test/support/circle-books.ts'

export type Operation =
  | 'publicKey'
  | 'createWalletSet'
  | 'createWallet'
  | 'findWallet'
  | 'execute'
  | 'look'

export type Received = {
  method: string
  path: string
  headers: IncomingMessage['headers']
  body: Json
}

const routes: [Operation, string, RegExp][] = [
  ['publicKey', 'GET', /^\/v1\/w3s\/config\/entity\/publicKey$/],
  ['createWalletSet', 'POST', /^\/v1\/w3s\/developer\/walletSets$/],
  ['createWallet', 'POST', /^\/v1\/w3s\/developer\/wallets$/],
  ['findWallet', 'GET', /^\/v1\/w3s\/wallets\/[^/]+$/],
  ['execute', 'POST', /^\/v1\/w3s\/developer\/transactions\/contractExecution$/],
  ['look', 'GET', /^\/v1\/w3s\/transactions\/[^/]+$/],
]

export const operationOf = ({
  method,
  path,
}: Pick<Received, 'method' | 'path'>): Operation | 'unknown' =>
  routes.find(([, verb, pattern]) => verb === method && pattern.test(path))?.[0] ?? 'unknown'

type Check = (value: unknown) => boolean
type Shape = { needs: string[]; fields: Record<string, Check> }

const matches =
  (pattern: RegExp): Check =>
  (value) =>
    typeof value === 'string' && pattern.test(value)

const isUuid = matches(/^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
const isUuid4 = matches(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
const isText = matches(/^.{1,100}$/)
const isAddress = matches(/^0x[0-9a-fA-F]{40}$/)

const everyPost: Record<string, Check> = {
  idempotencyKey: isUuid4,
  entitySecretCiphertext: matches(/^[A-Za-z0-9+/]+={0,2}$/),
}
const needsOfPosts = Object.keys(everyPost)

const isMetadata: Check = (value) =>
  Array.isArray(value) &&
  value.length === 1 &&
  Object.entries(value[0]).every(([name, text]) => /^(?:name|refId)$/.test(name) && isText(text))

const shapesOf = ({
  blockchain,
}: Books): Record<'createWalletSet' | 'createWallet' | 'execute', Shape> => ({
  createWalletSet: { needs: needsOfPosts, fields: { ...everyPost, name: isText } },
  createWallet: {
    needs: [...needsOfPosts, 'blockchains', 'walletSetId'],
    fields: {
      ...everyPost,
      blockchains: (value) => JSON.stringify(value) === JSON.stringify([blockchain]),
      walletSetId: isUuid,
      accountType: (value) => value === 'EOA' || value === 'SCA',
      count: (value) => value === 1,
      metadata: isMetadata,
    },
  },
  execute: {
    needs: [...needsOfPosts, 'contractAddress', 'walletId', 'callData', 'feeLevel'],
    fields: {
      ...everyPost,
      contractAddress: isAddress,
      walletId: isUuid,
      callData: matches(/^0x(?:[0-9a-f]{2})+$/),
      feeLevel: (value) => ['LOW', 'MEDIUM', 'HIGH'].includes(String(value)),
      refId: isText,
    },
  },
})

function shapeProblem({ needs, fields }: Shape, body: Json): Reply | undefined {
  const missing = needs.filter((name) => !(name in body))
  const wrong = Object.entries(body).filter(([name, value]) => !fields[name]?.(value))
  const named = [...missing, ...wrong.map(([name]) => name)]
  return named.length > 0
    ? refusal(400, 2, `API parameter invalid: ${named.join(', ')}`)
    : undefined
}

/** Same key and body: the first answer, with 200. The ciphertext differs every time. */
const remembered = new WeakMap<Books, Map<string, { print: string; data: Promise<Json> }>>()

async function onceFor(
  books: Books,
  operation: Operation,
  { entitySecretCiphertext: _fresh, ...body }: Json,
  work: () => Promise<Json>,
): Promise<Reply> {
  const memory = remembered.get(books) ?? new Map()
  remembered.set(books, memory)
  const key = String(body.idempotencyKey)
  const print = JSON.stringify([operation, Object.entries(body).sort()])
  const first = memory.get(key)
  if (!first) {
    const data = work()
    memory.set(key, { print, data })
    return { status: 201, body: { data: await data } }
  }
  if (first.print !== print)
    return refusal(400, 2, 'The idempotency key was used with another body')
  const made = books.transactions.find(({ idempotencyKey }) => idempotencyKey === key)
  if (made) made.requests += 1
  return { status: 200, body: { data: await first.data } }
}

function callerProblem({ apiKey }: Books, { method, headers }: Received): Reply | undefined {
  if (headers.authorization !== `Bearer ${apiKey}`) return refusal(401, 401, 'Invalid credentials')
  const isJson = headers['content-type'] === 'application/json'
  return method === 'POST' && !isJson ? refusal(415, 2, 'Not JSON') : undefined
}

async function post(
  books: Books,
  operation: 'createWalletSet' | 'createWallet' | 'execute',
  body: Json,
): Promise<Reply> {
  const problem =
    shapeProblem(shapesOf(books)[operation], body) ??
    books.secretProblem(body.entitySecretCiphertext)
  if (problem) return problem
  if (operation === 'createWalletSet') {
    return onceFor(books, operation, body, async () => books.createWalletSet(body))
  }
  if (operation === 'createWallet') {
    const isKnown = books.walletSets.some(({ id }) => id === body.walletSetId)
    if (!isKnown) return refusal(404, 156_008, 'Cannot find the wallet set')
    return onceFor(books, operation, body, () => books.createWallets(body))
  }
  const wallet = books.findWallet(String(body.walletId))
  if (!wallet) return refusal(404, 156_001, 'Cannot find the wallet')
  if (wallet.state === 'FROZEN') return refusal(400, 156_006, 'The wallet is frozen')
  return onceFor(books, operation, body, async () => books.execute(body))
}

export async function answer(books: Books, received: Received): Promise<Reply> {
  const problem = callerProblem(books, received)
  if (problem) return problem
  const operation = operationOf(received)
  const id = received.path.split('/').at(-1) ?? ''
  switch (operation) {
    case 'unknown':
      return refusal(404, -1, 'Resource not found')
    case 'publicKey':
      return { status: 200, body: { data: books.publicKey() } }
    case 'findWallet': {
      const wallet = books.findWallet(id)
      return wallet
        ? { status: 200, body: { data: { wallet } } }
        : refusal(404, 156_001, 'Cannot find the wallet')
    }
    case 'look': {
      const transaction = books.findTransaction(id)
      return transaction
        ? { status: 200, body: { data: await books.look(transaction) } }
        : refusal(404, 156_002, 'Cannot find the transaction')
    }
    default:
      return post(books, operation, received.body)
  }
}
