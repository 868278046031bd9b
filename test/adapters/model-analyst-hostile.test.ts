/** Hostile purposes reach the data block unchanged and no other part of the request. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AnalystQuestion } from '#ports/analyst.ts'
import { hostilePurposes } from '#test/support/hostile-purposes.ts'
import {
  dataOf,
  type ModelEndpoint,
  soundOpinion,
  startModelEndpoint,
} from '#test/support/model-endpoint.ts'
import { analystOf } from './reviews.ts'

let endpoint: ModelEndpoint
beforeAll(async () => {
  endpoint = await startModelEndpoint()
})
afterAll(() => endpoint.stop())

const question = (purpose: string): AnalystQuestion => ({
  purpose,
  recipientLabel: purpose.slice(0, 100),
  amountBaseUnits: '25000000',
  requestedMode: 'automatic',
  rules: {
    riskScore: 85,
    recommendation: 'reject',
    checks: [{ id: 'hidden_instructions', outcome: 'fail', detail: purpose.slice(0, 300) }],
  },
})

/** The request without the user's message, which no purpose may change. */
const frameOf = (body: { messages: { role: string }[] }) => ({
  ...body,
  messages: body.messages.filter(({ role }) => role !== 'user'),
})

describe('every hostile purpose', () => {
  test('arrives unchanged inside the block and changes nothing around it', async () => {
    const analyst = analystOf(endpoint)
    expect(hostilePurposes.length).toBeGreaterThanOrEqual(200)
    await analyst.review(question('Hosting in May'))
    const honest = endpoint.requests.at(-1)
    for (const purpose of hostilePurposes) {
      const asked = question(purpose)
      expect(await analyst.review(asked)).toEqual(soundOpinion)
      const request = endpoint.requests.at(-1)
      expect(request && dataOf(request), purpose).toEqual(asked)
      expect(request && frameOf(request.body)).toEqual(honest && frameOf(honest.body))
    }
    expect(endpoint.requests).toHaveLength(hostilePurposes.length + 1)
  })
})
