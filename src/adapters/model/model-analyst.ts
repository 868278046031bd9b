/**
 * `Analyst` over any endpoint compatible with OpenAI's chat completions. One question, no tools,
 * one answer of a fixed schema. Time, size and retries are bounded, and every failure becomes
 * `dependency_unavailable`. Error texts of the endpoint or its client are never passed on: they can
 * contain the API key or the purpose.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { AppError } from '#platform/errors.ts'
import type { Analyst } from '#ports/analyst.ts'
import type { AskModel, ModelEndpoint, ModelResult } from './model-client.ts'
import { buildPrompt, PROMPT_VERSION } from './model-prompt.ts'

const RETRY_WAIT_MS = 500
/** After this many consecutive failures the endpoint is not called for `REST_MS`. */
const FAILURES_MAX = 3
const REST_MS = 30_000

export type ModelAnalystOptions = ModelEndpoint & {
  /** Covers both attempts together. */
  timeoutMs: number
  retryWaitMs?: number
  restMs?: number
}

export function createModelAnalyst(options: ModelAnalystOptions): Analyst {
  const { model, timeoutMs, retryWaitMs = RETRY_WAIT_MS, restMs = REST_MS } = options
  // Loaded on first use: the import is slow, and most processes never call a model.
  let client: Promise<AskModel> | undefined
  const load = async () => (await import('./model-client.ts')).createModelClient(options)
  /** Set once the endpoint has answered only without a response format. */
  let isPlain = false
  let failuresInRow = 0
  let restUntil = Number.NEGATIVE_INFINITY

  const askWithRetry = async (prompt: string): Promise<ModelResult> => {
    client ??= load()
    const ask = await client
    const signal = AbortSignal.timeout(timeoutMs)
    const endsAt = performance.now() + timeoutMs
    const first = await ask(prompt, { isPlain, signal })
    if (first.opinion || first.next === 'nothing') return first
    if (first.next === 'plain') {
      const second = await ask(prompt, { isPlain: true, signal })
      if (second.opinion) isPlain = true
      return second
    }
    const waitMs = first.waitMs ?? retryWaitMs
    if (signal.aborted || waitMs >= endsAt - performance.now()) return first
    await pause(waitMs)
    return ask(prompt, { isPlain, signal })
  }

  return {
    name: model,
    version: `prompt ${PROMPT_VERSION}`,
    async review(question) {
      if (performance.now() < restUntil) throw unavailable('is paused after several failures')
      const result = await askWithRetry(buildPrompt(question))
      // Only outages count: one expense whose text breaks its answer must not pause the analyst.
      failuresInRow = result.opinion || result.next !== 'soon' ? 0 : failuresInRow + 1
      if (failuresInRow >= FAILURES_MAX) restUntil = performance.now() + restMs
      if (!result.opinion) throw unavailable(result.reason)
      return result.opinion
    },
  }
}

const unavailable = (reason: string) =>
  new AppError('dependency_unavailable', {
    message: 'The model analyst gave no usable answer. Retry shortly.',
    cause: new Error(`The model endpoint ${reason}`),
  })
