/**
 * A request from an API process to a worker, such as "export this key": a job carries it, and
 * the answer comes back as a notification. Both the answer and the secret part of the request are
 * sealed, so they cannot be read from the database, a backup or the channel.
 */
import { addSeconds, type Clock, type Ids } from '#platform/clock.ts'
import type { Db } from '#platform/database/database.ts'
import { AppError, type ErrorCode, errorCodes } from '#platform/errors.ts'
import { openJson, sealJson } from '#platform/sealing.ts'
import type { Secrets } from '#platform/secrets.ts'
import { announceOutcome, type Outcomes } from './await-outcome.ts'

/** Longer than the time-out of a provider, so that the caller gets the provider's failure. */
const ANSWERED_WITHIN_MS = 12_000
const RETRY_AFTER_SECONDS = 2

/** `until`: the caller's deadline. The worker must not start later. */
export type ReplyTo = { id: string; until: string }

type Sealed = { name: string; value: unknown }

export const sealValue = ({ exchangeKey }: Secrets, sealed: Sealed): string =>
  sealJson(exchangeKey, sealed).toString('base64')

/** Throws if it was sealed with another key or name. */
export const openValue = (
  { exchangeKey }: Secrets,
  { name, text }: { name: string; text: string },
): unknown => openJson(exchangeKey, { name, box: Buffer.from(text, 'base64') })

type Refusal = { code: ErrorCode; message: string; retryAfterSeconds?: number }
type Reply = { value: unknown } | { refusal: Refusal }

const nameOf = (id: string): string => `reply:${id}`

type AskContext = { outcomes: Outcomes; secrets: Secrets; ids: Ids; clock: Clock }

/**
 * `ask` enqueues the job with `replyTo` in its payload. Throws the worker's refusal, or
 * `dependency_unavailable` if no worker answers in time.
 */
export async function askWorker<T>(
  { outcomes, secrets, ids, clock }: AskContext,
  ask: (replyTo: ReplyTo) => Promise<void>,
  { withinMs = ANSWERED_WITHIN_MS } = {},
): Promise<T> {
  const id = ids.next()
  const until = addSeconds(clock.now(), withinMs / 1000).toISOString()
  const reply = await outcomes.receive(id, {
    begin: () => ask({ id, until }),
    open: (text) => openReply(secrets, { id, text }),
    withinMs,
  })
  if (reply === undefined) {
    throw new AppError('dependency_unavailable', {
      message: 'No worker answered in time. Repeat the request shortly.',
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    })
  }
  if ('value' in reply) return reply.value as T
  const { code, ...options } = reply.refusal
  throw new AppError(errorCodes.includes(code) ? code : 'internal', options)
}

/** Undefined if no worker sealed it. */
function openReply(secrets: Secrets, { id, text }: { id: string; text: string }) {
  try {
    return openValue(secrets, { name: nameOf(id), text }) as Reply
  } catch {
    return undefined
  }
}

type AnswerContext = { db: Pick<Db, 'query'>; secrets: Secrets; clock: Clock }

/** Runs in the job. A refusal is an answer; an unexpected error also fails the job. */
export async function answerCaller(
  { db, secrets, clock }: AnswerContext,
  { id, until }: ReplyTo,
  work: () => Promise<unknown>,
): Promise<void> {
  if (clock.now().toISOString() > until) return
  const send = (reply: Reply) =>
    announceOutcome(db, id, sealValue(secrets, { name: nameOf(id), value: reply }))
  let value: unknown
  try {
    value = await work()
  } catch (error) {
    await send({ refusal: refusalOf(error) })
    if (error instanceof AppError) return
    throw error
  }
  await send({ value: value ?? null })
}

function refusalOf(error: unknown): Refusal {
  if (!(error instanceof AppError))
    return { code: 'internal', message: new AppError('internal').message }
  const { code, message, retryAfterSeconds } = error
  return { code, message, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) }
}
