/**
 * `Analyst` over any endpoint that speaks OpenAI's chat completions. One question, no tools, one
 * answer of a closed shape; time, size and tries are bounded, and whatever goes wrong is
 * `dependency_unavailable`. What the endpoint or its client says about a failure is never passed
 * on: it can repeat the key or the purpose.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { APICallError, generateText, jsonSchema, Output } from 'ai'
import { AppError } from '#platform/errors.ts'
import type { Analyst, AnalystOpinion } from '#ports/analyst.ts'
import { instructions, opinionIn, opinionSchema, PROMPT_VERSION, promptOf } from './model-prompt.ts'

/** An answer has a few kilobytes; the rest is room for what endpoints put around it. */
const ANSWER_BYTES_MAX = 256 * 1024
const RETRY_WAIT_MS = 500
/** An endpoint that failed so often in a row is left alone for a while. */
const FAILURES_MAX = 3
const REST_MS = 30_000

export type ModelAnalystOptions = {
  /** Where `/chat/completions` is. */
  baseUrl: string
  apiKey: string | undefined
  model: string
  /** For everything together: the second try has what the first one left. */
  timeoutMs: number
  outputTokensMax: number
  retryWaitMs?: number
  restMs?: number
}

type Way = { isPlain: boolean; signal: AbortSignal }
type Ask = (prompt: string, way: Way) => Promise<{ text: string; isCutOff: boolean }>

/** What became of one request: an opinion, or why there is none and what may be tried next. */
type Trial =
  | { opinion: AnalystOpinion }
  | {
      opinion: undefined
      reason: string
      /** `soon`: it may be away for a moment. `plain`: it may not know the asked format. */
      next: 'soon' | 'plain' | 'nothing'
      waitMs?: number | undefined
    }

export function createModelAnalyst(options: ModelAnalystOptions): Analyst {
  const { model, timeoutMs, retryWaitMs = RETRY_WAIT_MS, restMs = REST_MS } = options
  const ask = asker(options)
  /** Learnt from an answer that only came without the format. */
  let isPlain = false
  let failuresInRow = 0
  let restUntil = Number.NEGATIVE_INFINITY

  const tryTwice = async (prompt: string, signal: AbortSignal): Promise<Trial> => {
    const endsAt = performance.now() + timeoutMs
    const first = await attempt(ask, prompt, { isPlain, signal })
    if (first.opinion || first.next === 'nothing') return first
    if (first.next === 'plain') {
      const second = await attempt(ask, prompt, { isPlain: true, signal })
      if (second.opinion) isPlain = true
      return second
    }
    const waitMs = first.waitMs ?? retryWaitMs
    if (signal.aborted || waitMs >= endsAt - performance.now()) return first
    await pause(waitMs)
    return attempt(ask, prompt, { isPlain, signal })
  }

  return {
    name: model,
    version: `prompt ${PROMPT_VERSION}`,
    async review(question) {
      if (performance.now() < restUntil) throw unavailable('is left alone after several failures')
      const trial = await tryTwice(promptOf(question), AbortSignal.timeout(timeoutMs))
      // Only absence counts: a purpose that spoils its own answer must not silence the others'.
      failuresInRow = trial.opinion || trial.next !== 'soon' ? 0 : failuresInRow + 1
      if (failuresInRow >= FAILURES_MAX) restUntil = performance.now() + restMs
      if (!trial.opinion) throw unavailable(trial.reason)
      return trial.opinion
    },
  }
}

const unavailable = (reason: string) =>
  new AppError('dependency_unavailable', {
    message: 'The model analyst gave no usable answer. Retry shortly.',
    cause: new Error(`The model endpoint ${reason}`),
  })

function asker({ baseUrl, apiKey, model, outputTokensMax }: ModelAnalystOptions): Ask {
  const endpoint = createOpenAICompatible({
    name: 'analyst',
    baseURL: baseUrl,
    ...(apiKey === undefined ? {} : { apiKey }),
    supportsStructuredOutputs: true,
    fetch: boundedFetch,
  })
  const { responseFormat } = Output.object({ name: 'opinion', schema: jsonSchema(opinionSchema) })
  // Asked for as an object and taken as text: however it was asked for, it is read in one way.
  const output = { ...Output.text(), responseFormat }

  return async (prompt, { isPlain, signal }) => {
    const { text, toolCalls, finishReason } = await generateText({
      model: endpoint(model),
      instructions,
      prompt,
      ...(isPlain ? {} : { output }),
      temperature: 0,
      maxOutputTokens: outputTokensMax,
      maxRetries: 0,
      abortSignal: signal,
      telemetry: { isEnabled: false },
    })
    // It was given no tools: whoever calls one does not answer the question.
    return { text: toolCalls.length === 0 ? text : '', isCutOff: finishReason === 'length' }
  }
}

async function attempt(ask: Ask, prompt: string, way: Way): Promise<Trial> {
  try {
    const { text, isCutOff } = await ask(prompt, way)
    const opinion = opinionIn(text)
    if (opinion) return { opinion }
    const reason = isCutOff ? 'ran out of tokens for its answer' : 'gave an answer of another shape'
    return { opinion, reason, next: 'nothing' }
  } catch (error) {
    if (!way.signal.aborted) return failureOf(error, way.isPlain)
    return { opinion: undefined, reason: 'did not answer in time', next: 'soon' }
  }
}

function failureOf(error: unknown, isPlain: boolean): Trial {
  const opinion = undefined
  if (error instanceof UnfitAnswer) return { opinion, reason: error.message, next: 'nothing' }
  if (!APICallError.isInstance(error)) {
    return { opinion, reason: 'gave an answer that cannot be read', next: 'nothing' }
  }
  const { statusCode: status, isRetryable, responseHeaders } = error
  if (status === undefined) {
    const reason = isRetryable ? 'cannot be reached' : 'cannot be asked'
    return { opinion, reason, next: isRetryable ? 'soon' : 'nothing' }
  }
  // The status was fine and the body was not what its name says.
  const reason = status < 300 ? 'gave an answer that cannot be read' : `answered ${status}`
  if (status === 429 || status >= 500) {
    return { opinion, reason, next: 'soon', waitMs: askedWaitMs(responseHeaders) }
  }
  const mayBeFormat = !isPlain && (status === 400 || status === 422)
  return { opinion, reason, next: mayBeFormat ? 'plain' : 'nothing' }
}

function askedWaitMs(headers: Record<string, string> | undefined): number | undefined {
  const seconds = headers?.['retry-after'] ?? ''
  return /^[0-9]{1,6}$/.test(seconds) ? Number(seconds) * 1_000 : undefined
}

/** Something came that is no answer; the message is ours alone. */
class UnfitAnswer extends Error {
  override readonly name = 'UnfitAnswer'
}

/** Follows nobody elsewhere with the key, and reads no more than an answer can have. */
const boundedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: 'manual' })
  const { status, headers } = response
  const isJson = /^application\/json\s*(?:;|$)/i.test(headers.get('content-type') ?? '')
  if (response.ok && !isJson) {
    await response.body?.cancel()
    throw new UnfitAnswer('gave an answer that is not JSON')
  }
  return new Response(await boundedText(response), { status, headers: keptHeaders(headers) })
}

/** The body is unpacked and whole by now, so what described it before is left out. */
const keptHeaders = (headers: Headers): Record<string, string> =>
  Object.fromEntries(
    ['content-type', 'retry-after'].flatMap((name) => {
      const value = headers.get(name)
      return value === null ? [] : [[name, value]]
    }),
  )

/** Counts what is unpacked, not what is announced. */
async function boundedText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength
    // Leaving the loop cancels the rest.
    if (bytes > ANSWER_BYTES_MAX) throw new UnfitAnswer('gave an answer that is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
