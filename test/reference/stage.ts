/** Where the story takes place: the service, a worker, a chain, and providers that accept. */
import { randomBytes } from 'node:crypto'
import { expect, vi } from 'vitest'
import { createStandardWebhooks } from '#adapters/webhooks/standard-webhooks.ts'
import { systemClock } from '#platform/clock.ts'
import type { Environment } from '#platform/config/config.ts'
import type { WebhookOutcome, WebhookSender } from '#ports/webhook-sender.ts'
import { emailEnvironment, fakeMailer } from '#test/email/steps.ts'
import { fakePush, pushEnvironment } from '#test/push/steps.ts'
import { createRecorder, type Recorder } from '#test/reference/recorder.ts'
import type { Answer, TestApp } from '#test/support/app.ts'
import { startTreasury, type Treasury } from '#test/support/treasury.ts'

/** Anything with a token may call. */
export type Caller = { token: string }

type Calls = {
  /** Calls as somebody, expects success, and returns the body. */
  get(who: Caller, url: string, headers?: Record<string, string>): Promise<Answer['body']>
  post(who: Caller, url: string, sent?: Sent): Promise<Answer['body']>
  send(method: string, url: string, sent?: Sent & { who?: Caller }): Promise<Answer>
}

export type Stage = Calls & {
  treasury: Treasury
  recorder: Recorder
  /** As `send`, for answers that are no success. */
  call: TestApp['call']
  /** Answers of webhook receivers, used up one by one; 204 when there are none. */
  receiverAnswers: WebhookOutcome[]
  stop(): Promise<void>
}

type Sent = { body?: unknown; key?: string; raw?: Buffer; headers?: Record<string, string> }

const ENVIRONMENT: Environment = {
  ...emailEnvironment(),
  ...pushEnvironment(),
  CONSUMER_APP_ORIGIN: 'https://app.countersign.example',
  PAYMENT_RELEASE: 'manual',
  ORGANIZATION_JOIN: 'owner_confirms',
  RECEIPT_REQUIRED_ABOVE_BASE_UNITS: '100000000',
  // What clients read as limits is as in a usual deployment.
  RATE_LIMIT_PER_ACCOUNT: '600',
  ORGANIZATIONS_PER_ACCOUNT: '20',
  SERVER_WALLETS_PER_ACCOUNT: '20',
  SERVER_WALLETS_PER_ORGANIZATION: '50',
}

/** Accepts every public name and delivers nothing. */
function acceptingWebhooks(answers: WebhookOutcome[]): WebhookSender {
  const sender = createStandardWebhooks({
    clock: systemClock,
    allowsLoopback: false,
    keys: { current: randomBytes(32), previous: undefined },
  })
  return {
    ...sender,
    checkEndpoint: async () => 'allowed',
    send: async () => answers.shift() ?? { outcome: 'delivered', statusCode: 204 },
  }
}

export async function openStage(): Promise<Stage> {
  const receiverAnswers: WebhookOutcome[] = []
  const push = { ...fakePush(), publicKey: ENVIRONMENT.VAPID_PUBLIC_KEY ?? '' }
  const treasury = await startTreasury({
    // Long enough to meet a payment that waits for its block.
    mineAfterMs: 250,
    env: ENVIRONMENT,
    replace: () => ({
      push,
      mailer: fakeMailer(),
      webhooks: acceptingWebhooks(receiverAnswers),
    }),
  })
  const recorder = createRecorder()
  const call = recorder.around(treasury.service.call)
  return {
    treasury,
    recorder,
    call,
    receiverAnswers,
    ...makeCalls(call),
    stop: () => treasury.stop(),
  }
}

function makeCalls(call: TestApp['call']): Calls {
  const send: Calls['send'] = async (method, url, { who, body, key, raw, headers = {} } = {}) => {
    const answer = await call(method, url, {
      ...(who && { token: who.token }),
      ...(body !== undefined && { body }),
      ...(raw && { raw }),
      headers: { ...headers, ...(key !== undefined && { 'idempotency-key': key }) },
    })
    expect(answer.status, `${method} ${url}: ${answer.text}`).toBeLessThan(300)
    return answer
  }
  return {
    send,
    get: async (who, url, headers = {}) => (await send('GET', url, { who, headers })).body,
    post: async (who, url, sent = {}) => (await send('POST', url, { who, ...sent })).body,
  }
}

/** For calls that the story needs but that would replace a more telling example. */
export const aside = <T extends { stage: Stage }>(company: T): T => {
  const { stage } = company
  return { ...company, stage: { ...stage, ...makeCalls(stage.treasury.service.call) } }
}

/** Asks again until it is as expected. */
export const until = <T>(
  read: () => Promise<T>,
  isDone: (value: T) => boolean,
  { interval = 200 } = {},
): Promise<T> =>
  vi.waitFor(
    async () => {
      const value = await read()
      expect(isDone(value), JSON.stringify(value)?.slice(0, 2_000)).toBe(true)
      return value
    },
    { timeout: 60_000, interval },
  )
