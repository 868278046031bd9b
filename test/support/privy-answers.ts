/**
 * Request handling of the Privy emulator: credentials, signatures over canonical payloads,
 * operations.
 */
import { createHash, createPublicKey, verify } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { type Books, type Outcome, shown } from '#test/support/privy-books.ts'
import { sendTransaction } from '#test/support/privy-sending.ts'
import {
  type Json,
  type Refusal,
  refusal,
  type Shaped,
  shapeProblem,
} from '#test/support/privy-shapes.ts'

export const APP_ID = 'emulated-app-1'

export type Received = {
  method: string
  path: string
  headers: IncomingMessage['headers']
  body: Json
}

const routes = [
  ['create', 'POST', /^\/v1\/wallets$/],
  ['find', 'GET', /^\/v1\/wallets\/([\w-]+)$/],
  ['update', 'PATCH', /^\/v1\/wallets\/([\w-]+)$/],
  ['export', 'POST', /^\/v1\/wallets\/([\w-]+)\/export$/],
  ['send', 'POST', /^\/v1\/wallets\/([\w-]+)\/rpc$/],
  ['make policy', 'POST', /^\/v1\/policies$/],
  ['read policy', 'GET', /^\/v1\/policies\/([\w-]+)$/],
  ['change policy', 'PATCH', /^\/v1\/policies\/([\w-]+)$/],
  ['make quorum', 'POST', /^\/v1\/key_quorums$/],
  ['read quorum', 'GET', /^\/v1\/key_quorums\/([\w-]+)$/],
  ['look up', 'GET', /^\/v1\/transactions\?reference_id=([\w-]{1,64})$/],
  ['look', 'GET', /^\/v1\/transactions\/([\w-]+)$/],
] as const

export type Operation = (typeof routes)[number][0]

const routed = ({ method, path }: Pick<Received, 'method' | 'path'>) => {
  for (const [operation, verb, pattern] of routes) {
    const match = verb === method ? pattern.exec(path) : null
    if (match) return { operation, name: match[1] ?? '' }
  }
  return undefined
}

export const operationOf = (received: Pick<Received, 'method' | 'path'>): Operation | 'unknown' =>
  routed(received)?.operation ?? 'unknown'

const headerOf = ({ headers }: Received, name: string): string | undefined => {
  const value = headers[name]
  return typeof value === 'string' ? value : undefined
}

/** RFC 8785 for the values that occur here: strings, integers, lists and objects. */
const canonical = (value: unknown): string => {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  const pairs = entries.map(([name, part]) => `${JSON.stringify(name)}:${canonical(part)}`)
  return `{${pairs.join(',')}}`
}

function credentialProblem(books: Books, received: Received): Refusal | undefined {
  const basic = Buffer.from(`${APP_ID}:${books.secret}`).toString('base64')
  if (headerOf(received, 'authorization') !== `Basic ${basic}`) {
    return refusal(401, 'Invalid app credentials', 'unauthorized')
  }
  if (headerOf(received, 'privy-app-id') !== APP_ID) return refusal(400, 'Missing privy-app-id')
  const isJson = headerOf(received, 'content-type') === 'application/json'
  if (received.method !== 'GET' && !isJson) return refusal(415, 'Not JSON')
  return undefined
}

function coveredHeaders(received: Received): Record<string, string> {
  const named = ['privy-app-id', 'privy-idempotency-key', 'privy-request-expiry']
  return Object.fromEntries(
    named.flatMap((name) => {
      const value = headerOf(received, name)
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

function expiryProblem(received: Received): Refusal | undefined {
  const expiry = headerOf(received, 'privy-request-expiry')
  if (expiry === undefined) return undefined
  const isAhead = /^[0-9]{13}$/.test(expiry) && Number(expiry) > Date.now()
  return isAhead ? undefined : refusal(400, 'The request has expired')
}

/** The known keys that signed exactly this request. */
function signingKeys(books: Books, url: string, received: Received): Set<string> {
  const { method, path, body } = received
  const headers = coveredHeaders(received)
  const isEmpty = Object.keys(body).length === 0
  const covered = { version: 1, method, url: `${url}${path}`, body: isEmpty ? '' : body, headers }
  const payload = Buffer.from(canonical(covered))
  const given = (headerOf(received, 'privy-authorization-signature') ?? '').split(',')
  const signatures = given.map((text) => Buffer.from(text, 'base64')).filter(({ length }) => length)
  const known = books.quorums.flatMap(({ authorization_keys: keys }) => keys)
  const signed = known.filter(({ public_key: spki }) => {
    const key = createPublicKey({ key: Buffer.from(spki, 'base64'), format: 'der', type: 'spki' })
    return signatures.some((signature) => verify('sha256', payload, key, signature))
  })
  return new Set(signed.map(({ public_key: key }) => key))
}

type Answering = { books: Books; url: string; rpcUrl: string | undefined; received: Received }
type Route = { operation: Operation; name: string }

/** Resources without an owner need credentials only. A signer may only send. */
function authorizationProblem(
  { books, url, received }: Answering,
  { operation, name }: Route,
): Refusal | undefined {
  const isPolicy = operation === 'change policy'
  if (!isPolicy && !['update', 'export', 'send'].includes(operation)) return undefined
  const owned = isPolicy ? books.findPolicy(name) : books.find(name)
  if (!owned) return refusal(404, 'Not found', 'not_found')
  const keys = signingKeys(books, url, received)
  const signers = 'additional_signers' in owned ? owned.additional_signers : []
  const isSigner = signers.some(({ signer_id: id }) => books.signsFor(id, keys))
  if (owned.owner_id === null || books.signsFor(owned.owner_id, keys)) return undefined
  if (operation === 'send' && isSigner) return undefined
  return refusal(401, 'No valid authorization signatures were provided')
}

function ofWallet(
  { books, url, rpcUrl, received }: Answering,
  { operation, name }: Route,
): Promise<Outcome> | Outcome {
  const wallet = books.find(name)
  if (!wallet) return refusal(404, 'Wallet not found', 'not_found')
  const { body } = received
  if (operation === 'find') return { status: 200, body: shown(wallet) }
  if (operation === 'update') return books.update(wallet, body)
  if (operation === 'export') return books.exportKey(wallet, body)
  return sendTransaction(books, rpcUrl, { wallet, body, keys: signingKeys(books, url, received) })
}

const shownOr404 = (value: unknown, what: string): Outcome =>
  value ? { status: 200, body: value } : refusal(404, `${what} not found`, 'not_found')

const madeOr = (value: object): Outcome =>
  'error' in value ? (value as Refusal) : { status: 200, body: value }

function perform(answering: Answering, route: Route): Promise<Outcome> | Outcome {
  const { books, received } = answering
  const { operation, name } = route
  switch (operation) {
    case 'create':
      return books.create(received.body)
    case 'make policy':
      return madeOr(books.makePolicy(received.body))
    case 'make quorum':
      return madeOr(books.makeQuorum(received.body))
    case 'read policy':
      return shownOr404(books.findPolicy(name), 'Policy')
    case 'read quorum':
      return shownOr404(books.findQuorum(name), 'Key quorum')
    case 'look up': {
      const found = books.transactions.filter(({ reference_id: id }) => id === name)
      return { status: 200, body: { transactions: found } }
    }
    case 'look':
      return shownOr404(
        books.transactions.find(({ id }) => id === name),
        'Transaction',
      )
    case 'change policy':
      return books.changePolicy(name, received.body)
    default:
      return ofWallet(answering, route)
  }
}

export async function answer(answering: Answering): Promise<Outcome> {
  const { books, received } = answering
  const credentials = credentialProblem(books, received)
  if (credentials) return credentials
  const route = routed(received)
  if (!route) return refusal(404, 'Not found', 'not_found')
  if (received.method === 'GET') return perform(answering, route)
  const problem =
    shapeProblem(route.operation as Shaped, received.body) ??
    expiryProblem(received) ??
    authorizationProblem(answering, route)
  if (problem) return problem
  const print = createHash('sha256')
    .update(canonical([received.path, received.body]))
    .digest('hex')
  const key = headerOf(received, 'privy-idempotency-key')
  return books.onceFor(key, print, () => perform(answering, route))
}
