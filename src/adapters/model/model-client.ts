/** Client of the model endpoint: sends one bounded request and classifies its failure. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { APICallError, generateText, jsonSchema, Output } from 'ai'
import { ANSWER_BYTES_MAX, BodyTooLarge, readBody } from '#platform/http-client/read-body.ts'
import type { AnalystOpinion } from '#ports/analyst.ts'
import { instructions, opinionSchema, parseOpinion } from './model-prompt.ts'

export type ModelEndpoint = {
  /** Base URL of `/chat/completions`. */
  baseUrl: string
  apiKey: string | undefined
  model: string
  outputTokensMax: number
}

type RequestMode = { isPlain: boolean; signal: AbortSignal }
type Ask = (
  prompt: string,
  mode: RequestMode,
) => Promise<{ text: string; unfinished: string | undefined }>

/** Result of one request: an opinion, or why there is none and what to try next. */
export type ModelResult =
  | { opinion: AnalystOpinion }
  | {
      opinion: undefined
      reason: string
      /** `soon`: a temporary outage. `plain`: retry without the response format. */
      next: 'soon' | 'plain' | 'nothing'
      waitMs?: number | undefined
    }

export type AskModel = (prompt: string, mode: RequestMode) => Promise<ModelResult>

export function createModelClient(endpoint: ModelEndpoint): AskModel {
  const ask = asker(endpoint)
  return (prompt, mode) => attempt(ask, prompt, mode)
}

function asker({ baseUrl, apiKey, model, outputTokensMax }: ModelEndpoint): Ask {
  const endpoint = createOpenAICompatible({
    name: 'analyst',
    baseURL: baseUrl,
    ...(apiKey === undefined ? {} : { apiKey }),
    supportsStructuredOutputs: true,
    fetch: boundedFetch,
  })
  const { responseFormat } = Output.object({ name: 'opinion', schema: jsonSchema(opinionSchema) })
  // Requested as an object but returned as text, so that `parseOpinion` parses every answer.
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
    // No tools are offered: an answer that calls one is invalid.
    return { text: toolCalls.length === 0 ? text : '', unfinished: endings[finishReason] }
  }
}

/** Finish reasons of incomplete answers. */
const endings: Readonly<Record<string, string>> = {
  length: 'ran out of tokens for its answer',
  'content-filter': 'refused to answer',
}

async function attempt(ask: Ask, prompt: string, mode: RequestMode): Promise<ModelResult> {
  try {
    const { text, unfinished } = await ask(prompt, mode)
    // A truncated answer does not count, even if it happens to parse.
    const opinion = unfinished === undefined ? parseOpinion(text) : undefined
    if (opinion) return { opinion }
    return { opinion, reason: unfinished ?? 'gave an answer of the wrong shape', next: 'nothing' }
  } catch (error) {
    if (!mode.signal.aborted) return failureOf(error, mode.isPlain)
    return { opinion: undefined, reason: 'did not answer in time', next: 'soon' }
  }
}

function failureOf(error: unknown, isPlain: boolean): ModelResult {
  const opinion = undefined
  if (error instanceof InvalidAnswer) return { opinion, reason: error.message, next: 'nothing' }
  if (!APICallError.isInstance(error)) {
    return { opinion, reason: 'gave an answer that cannot be read', next: 'nothing' }
  }
  const { statusCode: status, isRetryable, responseHeaders } = error
  if (status === undefined) {
    const reason = isRetryable ? 'cannot be reached' : 'cannot be asked'
    return { opinion, reason, next: isRetryable ? 'soon' : 'nothing' }
  }
  // A success status with a body that does not match its content type.
  const reason = status < 300 ? 'gave an answer that cannot be read' : `answered ${status}`
  if (status === 429 || status >= 500) {
    return { opinion, reason, next: 'soon', waitMs: retryAfterMs(responseHeaders) }
  }
  const mayBeFormat = !isPlain && (status === 400 || status === 422)
  return { opinion, reason, next: mayBeFormat ? 'plain' : 'nothing' }
}

function retryAfterMs(headers: Record<string, string> | undefined): number | undefined {
  const seconds = headers?.['retry-after'] ?? ''
  return /^[0-9]{1,6}$/.test(seconds) ? Number(seconds) * 1_000 : undefined
}

/** The endpoint answered with something unusable. The message contains nothing of the answer. */
class InvalidAnswer extends Error {
  override readonly name = 'InvalidAnswer'
}

/** Follows no redirects, which would forward the API key, and bounds the answer's size. */
const boundedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: 'manual' })
  const { status, headers } = response
  const isJson = /^application\/json\s*(?:;|$)/i.test(headers.get('content-type') ?? '')
  if (response.ok && !isJson) {
    await response.body?.cancel()
    throw new InvalidAnswer('gave an answer that is not JSON')
  }
  const text = await readBody(response.body, ANSWER_BYTES_MAX).catch((error) => {
    if (error instanceof BodyTooLarge) throw new InvalidAnswer('gave an answer that is too large')
    throw error
  })
  return new Response(text, { status, headers: keptHeaders(headers) })
}

/** Drops content-encoding and content-length: the body is already decompressed. */
const keptHeaders = (headers: Headers): Record<string, string> =>
  Object.fromEntries(
    ['content-type', 'retry-after'].flatMap((name) => {
      const value = headers.get(name)
      return value === null ? [] : [[name, value]]
    }),
  )
