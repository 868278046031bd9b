/** One question to a model, the analyst that asks it, and why there is no opinion. */
import { inspect } from 'node:util'
import { expect } from 'vitest'
import { createModelAnalyst, type ModelAnalystOptions } from '#adapters/model/model-analyst.ts'
import { AppError } from '#platform/errors.ts'
import type { AnalystQuestion } from '#ports/analyst.ts'
import type { ModelAnswer, ModelEndpoint } from '#test/support/model-endpoint.ts'

export const KEY = 'sk-canary-0123456789'
export const PURPOSE = 'Hosting of the purpose-canary servers in May'

export const question: AnalystQuestion = {
  purpose: PURPOSE,
  recipientLabel: 'Hosting Ltd',
  amountBaseUnits: '25000000',
  requestedMode: 'automatic',
  rules: {
    riskScore: 20,
    recommendation: 'review',
    checks: [{ id: 'new_recipient', outcome: 'warn', detail: 'Added 2 days ago.' }],
  },
}

export const analystOf = (
  { url }: Pick<ModelEndpoint, 'url'>,
  options: Partial<ModelAnalystOptions> = {},
) =>
  createModelAnalyst({
    baseUrl: url,
    apiKey: KEY,
    model: 'vendor/model-1',
    timeoutMs: 10_000,
    outputTokensMax: 800,
    retryWaitMs: 1,
    ...options,
  })

/** Answers in turn; the last one repeats. */
export function answerWith(endpoint: ModelEndpoint, ...list: ModelAnswer[]): void {
  const from = endpoint.requests.length + 1
  endpoint.answer = (_request, number) => list[number - from] ?? list.at(-1) ?? 'silence'
}

/** Why there is no opinion; everything that could be logged is free of the key and the question. */
export async function reasonOf(asked: Promise<unknown>): Promise<string> {
  const error = await asked.then(
    (opinion) => expect.fail(`an opinion: ${JSON.stringify(opinion)}`),
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(AppError)
  const { code, cause } = error as AppError
  expect(code).toBe('dependency_unavailable')
  expect(cause).toBeInstanceOf(Error)
  const everything = inspect(error, { depth: 20, showHidden: true, getters: true })
  for (const secret of [KEY, 'canary', 'Hosting Ltd', 'http://127.0.0.1']) {
    expect(everything).not.toContain(secret)
  }
  return (cause as Error).message
}
