/** Five providers behind one interface, with injectable failures. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createTokenIdentity } from '#adapters/identity/token-identity.ts'
import { createPrivyWallets } from '#adapters/privy/privy-wallets.ts'
import { devRealm } from '#dev/defaults.ts'
import { systemClock } from '#platform/clock.ts'
import { readWalletsConfig } from '#platform/config/wallets.ts'
import { AppError } from '#platform/errors.ts'
import { startPushServer } from '#test/push/push-server.ts'
import { messageTo, pushWith } from '#test/push/sending.ts'
import { startCircleEmulator } from '#test/support/circle-emulator.ts'
import { type ModelAnswer, startModelEndpoint } from '#test/support/model-endpoint.ts'
import { startPrivyEmulator } from '#test/support/privy-emulator.ts'
import { makeTokenKey, signToken } from '#test/support/tokens.ts'
import { anyCall, circleExecutor, provisioned, submit } from './circle.ts'
import { analystOf, question } from './reviews.ts'

export const TROUBLES = ['time-out', '500', '429', 'garbage'] as const
export type Trouble = (typeof TROUBLES)[number]

export type Desk = {
  /** Applies to the next request. */
  trouble(trouble: Trouble): void
  /** Completes what it left unanswered. */
  heal(): void
  /** `later`: temporary and worth a retry. Anything else rejects. */
  ask(key: string, pace?: Pace): Promise<'done' | 'later'>
  /** How often it has executed the request of that key; without keys, whether it has. */
  effects(key: string): number
  stop(): Promise<void>
}

/** A short time-out for requests that get no answer; otherwise long enough for a busy machine. */
type Pace = 'hasty' | 'patient'
const TIMEOUT_MS: Record<Pace, number> = { hasty: 500, patient: 20_000 }
const GARBAGE = '{"data": <html>'

const orLater = async (work: Promise<unknown>): Promise<'done' | 'later'> => {
  try {
    await work
    return 'done'
  } catch (error) {
    if (error instanceof AppError && error.code === 'dependency_unavailable') return 'later'
    throw error
  }
}

const faultOf = {
  'time-out': 'silent',
  '500': { status: 500, body: GARBAGE },
  '429': { status: 429, headers: { 'retry-after': '0' } },
  garbage: { instead: GARBAGE },
} as const

export async function privyDesk(): Promise<Desk> {
  const privy = await startPrivyEmulator()
  const config = readWalletsConfig({ WALLET_PROVIDER: 'privy', ...privy.env }, false)
  if (config.provider !== 'privy') throw new Error('This is not Privy')
  const asked = new Set<string>()
  let coming: Trouble | undefined
  return {
    trouble(trouble) {
      coming = trouble
    },
    heal: privy.letGo,
    ask(walletId, pace = 'patient') {
      const wallets = createPrivyWallets({ ...config, timeoutMs: TIMEOUT_MS[pace] })
      const isRepeat = asked.has(walletId)
      asked.add(walletId)
      // Where an answer may have been lost, the wallet is looked up first.
      if (coming) privy.fail(isRepeat ? 'find' : 'create', faultOf[coming])
      coming = undefined
      return orLater(wallets.create({ walletId, chainType: 'ethereum', isRepeat }))
    },
    effects: (key) => privy.wallets.filter(({ external_id }) => external_id === key).length,
    stop: privy.stop,
  }
}

export async function circleDesk(): Promise<Desk> {
  const circle = await startCircleEmulator()
  const of = await provisioned(circleExecutor(circle))
  const call = anyCall()
  return {
    trouble: (trouble) => circle.fail('execute', faultOf[trouble]),
    heal: circle.letGo,
    ask(idempotencyKey, pace = 'patient') {
      const signal = AbortSignal.timeout(TIMEOUT_MS[pace])
      return orLater(submit(of, call, { idempotencyKey, signal }))
    },
    effects: (key) => circle.transactions.filter((one) => one.idempotencyKey === key).length,
    stop: circle.stop,
  }
}

/** Messages with one topic replace each other in transit; two topics would be two messages. */
export async function pushDesk(): Promise<Desk> {
  const server = await startPushServer()
  return {
    trouble(trouble) {
      server.answer((response) => {
        if (trouble === 'time-out') return
        if (trouble === 'garbage') response.socket?.end(GARBAGE)
        else response.writeHead(Number(trouble)).end(GARBAGE)
      })
    },
    heal: () => server.answer(undefined),
    async ask(key, pace = 'patient') {
      const push = pushWith({ timeoutMs: TIMEOUT_MS[pace] })
      const topic = key.replaceAll('-', '')
      const outcome = await push.send({ ...messageTo(server.endpoint(key)), topic })
      if (outcome === 'delivered') return 'done'
      if (typeof outcome === 'object' && 'retryAfterSeconds' in outcome) return 'later'
      throw new Error(`Given up: ${JSON.stringify(outcome)}`)
    },
    effects(key) {
      const own = server.received.filter(({ path }) => path === `/${key}`)
      return new Set(own.map(({ headers }) => headers.topic)).size
    },
    stop: server.close,
  }
}

/** Its keys are only read, so nothing could be done twice. */
export async function identityDesk(): Promise<Desk> {
  const key = makeTokenKey({ kid: 'the-one' })
  let now: Trouble | undefined
  const server = createServer((_request, response) => {
    if (now === 'time-out') return
    if (now === 'garbage') response.end(GARBAGE)
    else if (now) response.writeHead(Number(now)).end(GARBAGE)
    else response.end(JSON.stringify({ keys: [key.published] }))
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const jwksUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`
  const { issuer: iss, audience: aud } = devRealm('consumer', 0)
  const realms = {
    consumer: { ...devRealm('consumer', 0), jwksUrl },
    admin: { ...devRealm('admin', 0), jwksUrl },
  }
  let identity = createTokenIdentity({ realms, clock: systemClock, refreshAtMostEveryMs: 0 })
  return {
    trouble(trouble) {
      now = trouble
      // A client without cached keys, because known keys are not fetched.
      identity = createTokenIdentity({ realms, clock: systemClock, refreshAtMostEveryMs: 0 })
    },
    heal() {
      now = undefined
    },
    async ask(sub) {
      const iat = Math.floor(Date.now() / 1000)
      const token = signToken({ key, claims: { iss, aud, sub, iat, exp: iat + 3_600 } })
      const verified = identity.verifyAccessToken({ realm: 'consumer', token }).then((verdict) => {
        if (verdict.outcome !== 'valid') throw new Error('A good token was refused')
      })
      return orLater(verified)
    },
    effects: () => 1,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** It only gives an opinion. */
export async function modelDesk(): Promise<Desk> {
  const endpoint = await startModelEndpoint()
  const sound = endpoint.answer
  const analysts = {
    hasty: analystOf(endpoint, { timeoutMs: TIMEOUT_MS.hasty }),
    patient: analystOf(endpoint, { timeoutMs: TIMEOUT_MS.patient }),
  }
  const answers: Record<Trouble, ModelAnswer> = {
    'time-out': 'silence',
    '500': { status: 500, body: GARBAGE },
    '429': { status: 429, headers: { 'retry-after': '0' } },
    garbage: { body: GARBAGE },
  }
  return {
    trouble(trouble) {
      endpoint.answer = () => answers[trouble]
    },
    heal() {
      endpoint.answer = sound
    },
    ask: (_key, pace = 'patient') => orLater(analysts[pace].review(question)),
    effects: () => 1,
    stop: endpoint.stop,
  }
}
