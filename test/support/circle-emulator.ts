/**
 * Circle's developer-controlled wallets on loopback, as its published sources describe them: the
 * API key, closed bodies, an entity secret that is encrypted again for every request, and
 * idempotency keys that never create anything twice. Delegated transactions really go to the
 * chain, from its own key or through a contract account and a bundler.
 *
 *   const circle = await startCircleEmulator({ chain })      // a TestChain; EOA by default
 *   startTestApp({ env: { ...chain.env, ...circle.env } })   // EXECUTOR_PROVIDER and CIRCLE_*
 *
 *   circle.fail('execute', 'lost after', { status: 429 })    // for the next requests of a kind
 *   circle.destine(fates.denied, { says: 'BRAND_NEW' })      // for the next new transactions
 *   circle.setDown(true)                                     // connections are cut
 *   await circle.proceed(id)                                 // sends what waits for it
 *   circle.cancel(id)                                        // CANCELLED, and never sent
 *   circle.transactions                                      // everything created, with keys
 *   await circle.stop()
 *
 * A transaction without a set fate goes INITIATED, QUEUED, SENT by itself, and with each status
 * query to CONFIRMED, COMPLETE (or FAILED) as the chain says. An EOA wallet needs gas.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answer, type Operation, operationOf, type Received } from '#test/support/circle-answers.ts'
import { type Books, createBooks, type EmulatedWallet } from '#test/support/circle-books.ts'
import type { AccountType, CircleChain } from '#test/support/circle-chain.ts'
import { type EmulatedTransaction, type Fate, fates } from '#test/support/circle-transactions.ts'

export { type EmulatedTransaction, type Fate, fates }

export type Fault =
  /** The connection ends before anything is done, or after all of it. */
  | 'lost before'
  | 'lost after'
  /** Nothing is done or answered until it is released. */
  | 'silent'
  | { status: number; headers?: Record<string, string>; body?: string }
  /** Done, and then answered with this instead. */
  | { instead: unknown }

type Seen = { operation: Operation | 'unknown'; status: number | 'lost'; body: unknown }

export type CircleEmulator = {
  url: string
  /** For an existing wallet set, with secrets created here. */
  env: Record<string, string>
  wallets: EmulatedWallet[]
  walletSets: { id: string; name: string | undefined }[]
  /** Everything ever created, in order: one for each key, or it is a bug. */
  transactions: EmulatedTransaction[]
  /** Every encrypted entity secret received. */
  ciphertexts: ReadonlySet<string>
  seen: Seen[]
  fail(operation: Operation, ...faults: Fault[]): void
  destine(...fates: Fate[]): void
  /** Resolves when it was sent. Without an id: all that wait. */
  proceed(id?: string): Promise<void>
  cancel(id: string): void
  setDown(isDown: boolean): void
  /** Requests that wait for an answer. */
  waiting(): number
  /** Answers the requests that were left waiting. */
  letGo(): void
  stop(): Promise<void>
}

export type CircleOptions = {
  /** Without a chain nothing is ever sent, and every transaction stays as created. */
  chain?: CircleChain
  accountType?: AccountType
  blockchain?: string
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

type Trouble = Pick<CircleEmulator, 'seen' | 'fail' | 'setDown' | 'waiting' | 'letGo'> & {
  serve(request: IncomingMessage, response: ServerResponse): Promise<void>
}

function servingWith(books: Books): Trouble {
  const faults: Record<string, Fault[]> = {}
  const seen: Seen[] = []
  const silent: (() => void)[] = []
  let isDown = false
  return {
    seen,
    async serve(request, response) {
      const received = await receive(request)
      const operation = operationOf(received)
      const note = (status: Seen['status']) => seen.push({ operation, status, body: received.body })
      const fault = faults[operation]?.shift()
      const cut = () => {
        note('lost')
        response.destroy()
      }
      if (isDown || fault === 'lost before') return cut()
      if (typeof fault === 'object' && 'status' in fault) {
        note(fault.status)
        return send(response, fault.status, fault.body ?? '{}', fault.headers)
      }
      if (fault === 'silent') await new Promise<void>((resolve) => silent.push(resolve))
      const { status, body } = await answer(books, received)
      if (fault === 'lost after') return cut()
      note(status)
      const said = typeof fault === 'object' ? fault.instead : body
      send(response, status, typeof said === 'string' ? said : JSON.stringify(said))
    },
    fail: (operation, ...more) => {
      faults[operation] = [...(faults[operation] ?? []), ...more]
    },
    setDown: (down) => {
      isDown = down
    },
    waiting: () => silent.length,
    letGo: () => {
      for (const resume of silent.splice(0)) resume()
    },
  }
}

type Acts = Pick<CircleEmulator, 'destine' | 'proceed' | 'cancel'>

function actsOf({ transactions, comingFates, findTransaction, proceed }: Books): Acts {
  const find = (id: string): EmulatedTransaction => {
    const found = findTransaction(id)
    if (!found) throw new Error(`There is no transaction ${id}`)
    return found
  }
  const waits = ({ fate, txHash }: EmulatedTransaction) => fate.sends === 'when told' && !txHash
  return {
    destine: (...more) => {
      comingFates.push(...more)
    },
    async proceed(id) {
      const waiting = id === undefined ? transactions.filter(waits) : [find(id)]
      await Promise.all(waiting.map(proceed))
    },
    cancel: (id) => {
      Object.assign(find(id), { state: 'CANCELLED', fate: fates.cancelled })
    },
  }
}

export async function startCircleEmulator({
  chain,
  accountType = 'EOA',
  blockchain = 'ETH-SEPOLIA',
}: CircleOptions = {}): Promise<CircleEmulator> {
  const books = createBooks({ chain, blockchain })
  const made = books.createWalletSet({ name: 'configured' }) as { walletSet: { id: string } }
  const { serve, ...trouble } = servingWith(books)
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { wallets, walletSets, transactions, ciphertexts } = books
  return {
    url,
    env: {
      EXECUTOR_PROVIDER: 'circle',
      CIRCLE_URL: url,
      CIRCLE_API_KEY: books.apiKey,
      CIRCLE_ENTITY_SECRET: books.entitySecret.toString('hex'),
      CIRCLE_WALLET_SET_ID: made.walletSet.id,
      CIRCLE_BLOCKCHAIN: blockchain,
      CIRCLE_ACCOUNT_TYPE: accountType,
    },
    ...{ wallets, walletSets, transactions, ciphertexts },
    ...trouble,
    ...actsOf(books),
    async stop() {
      trouble.letGo()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
