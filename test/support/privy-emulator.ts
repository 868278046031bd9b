/**
 * Privy's REST API on loopback, as its published sources describe it: credentials, closed bodies,
 * idempotency keys, authorization signatures over canonical payloads, request expiry and its own
 * HPKE. It can lose answers, fail, wait and deny on request.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  APP_ID,
  answer,
  type Operation,
  operationOf,
  type Received,
} from '#test/support/privy-answers.ts'
import {
  type Books,
  createBooks,
  type EmulatedQuorum,
  type EmulatedTransaction,
  type EmulatedWallet,
  makeAuthorizationKey,
} from '#test/support/privy-books.ts'
import type { EmulatedPolicy } from '#test/support/privy-policies.ts'
import type { Refusal } from '#test/support/privy-shapes.ts'

export type Fault =
  /** The connection ends before anything is done, or after all of it. */
  | 'lost before'
  | 'lost after'
  /** Nothing is answered until it is released. */
  | 'silent'
  | { status: number; headers?: Record<string, string>; body?: string }
  /** Done, and then answered with this instead. */
  | { instead: unknown }

type Seen = { operation: Operation | 'unknown'; status: number | 'lost'; body: unknown }

export type PrivyEmulator = {
  url: string
  env: Record<string, string>
  /** For the funding signer, whose policy an external account owns. */
  funding: { signerId: string; policyOwnerId: string; env: Record<string, string> }
  wallets: EmulatedWallet[]
  exports: { walletId: string; ciphertext: string }[]
  policies: EmulatedPolicy[]
  quorums: EmulatedQuorum[]
  transactions: EmulatedTransaction[]
  seen: Seen[]
  /** Sends to this node from now on. */
  sendTo(rpcUrl: string): void
  /** For the next requests of the kind, in turn. */
  fail(operation: Operation, ...faults: Fault[]): void
  /** While down, connections are cut. */
  setDown(isDown: boolean): void
  denyExports(isDenied: boolean): void
  /**
   * Changes something without the service's knowledge, right after the next request of the kind.
   */
  meddleAfter(operation: Operation, meddle: () => void): void
  /** A day later: idempotency keys are forgotten, external ids are not. */
  forgetKeys(): void
  /** Requests that wait for an answer. */
  waiting(): number
  /** Answers the requests that were left waiting. */
  letGo(): void
  stop(): Promise<void>
}

async function receive(request: IncomingMessage): Promise<Received> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part)
  const text = Buffer.concat(parts).toString()
  const { method = '', url: path = '', headers } = request
  return { method, path, headers, body: text === '' ? {} : JSON.parse(text) }
}

function send(response: ServerResponse, status: number, body: string, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
}

/** The owner of wallets and the funding signer, whose keys the service has; and a third party. */
function introduce(books: Books, url: string): Pick<PrivyEmulator, 'env' | 'funding'> {
  const quorumOf = ({ publicKey }: { publicKey: string }): string => {
    const made = books.makeQuorum({ public_keys: [publicKey], authorization_threshold: 1 })
    if ('status' in made) throw new Error(made.error)
    return made.id
  }
  const [owner, signer] = [makeAuthorizationKey(), makeAuthorizationKey()]
  const signerId = quorumOf(signer)
  return {
    env: {
      PRIVY_URL: url,
      PRIVY_APP_ID: APP_ID,
      PRIVY_APP_SECRET: books.secret,
      PRIVY_AUTHORIZATION_KEY: `wallet-auth:${owner.privateKey}`,
      PRIVY_OWNER_ID: quorumOf(owner),
    },
    funding: {
      signerId,
      policyOwnerId: quorumOf(makeAuthorizationKey()),
      env: {
        PRIVY_FUNDING_SIGNER_ID: signerId,
        PRIVY_FUNDING_SIGNER_KEY: `wallet-auth:${signer.privateKey}`,
      },
    },
  }
}

/** Its configured failures, and the requests it has seen. */
type Trouble = {
  isDown: boolean
  rpcUrl: string | undefined
  faults: Record<string, Fault[]>
  meddlers: { operation: Operation; meddle: () => void }[]
  silent: (() => void)[]
  seen: Seen[]
}

const serving =
  (books: Books, trouble: Trouble, urlOf: () => string) =>
  async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { faults, meddlers, silent, seen } = trouble
    const received = await receive(request)
    const operation = operationOf(received)
    const note = (status: Seen['status']) => seen.push({ operation, status, body: received.body })
    const fault = faults[operation]?.shift()
    const cut = () => {
      note('lost')
      response.destroy()
    }
    if (trouble.isDown || fault === 'lost before') return cut()
    if (typeof fault === 'object' && 'status' in fault) {
      note(fault.status)
      return send(response, fault.status, fault.body ?? '{}', fault.headers)
    }
    if (fault === 'silent') await new Promise<void>((resolve) => silent.push(resolve))
    const done = await answer({ books, url: urlOf(), rpcUrl: trouble.rpcUrl, received })
    const meddler = meddlers.findIndex((waiting) => waiting.operation === operation)
    if (meddler >= 0) meddlers.splice(meddler, 1)[0]?.meddle()
    if (fault === 'lost after') return cut()
    note(done.status)
    const { status, ...problem } = done as Refusal
    const body = typeof fault === 'object' ? fault.instead : 'body' in done ? done.body : problem
    send(response, status, typeof body === 'string' ? body : JSON.stringify(body))
  }

/** With a node it can send; without one nothing that it sends arrives. */
export async function startPrivyEmulator({
  rpcUrl,
}: {
  rpcUrl?: string
} = {}): Promise<PrivyEmulator> {
  const books = createBooks()
  const trouble: Trouble = {
    ...{ isDown: false, rpcUrl, faults: {}, meddlers: [], silent: [], seen: [] },
  }
  let url = ''
  const serve = serving(books, trouble, () => url)
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { wallets, exports, policies, quorums, transactions, denyExports, forgetKeys } = books
  const { faults, meddlers, silent, seen } = trouble
  const letGo = () => {
    for (const resume of silent.splice(0)) resume()
  }
  return {
    ...{ url, ...introduce(books, url), seen },
    ...{ wallets, exports, policies, quorums, transactions, denyExports, forgetKeys, letGo },
    sendTo: (node) => {
      trouble.rpcUrl = node
    },
    fail: (operation, ...more) => {
      faults[operation] = [...(faults[operation] ?? []), ...more]
    },
    setDown: (isDown) => {
      trouble.isDown = isDown
    },
    meddleAfter: (operation, meddle) => void meddlers.push({ operation, meddle }),
    waiting: () => silent.length,
    async stop() {
      letGo()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
