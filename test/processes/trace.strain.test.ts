/** One trace from a request to an API process to the payment that a worker process confirms. */
import { randomUUID } from 'node:crypto'
import { afterAll, expect, test, vi } from 'vitest'
import { startTestChain } from '#test/support/chain.ts'
import { createTestDatabase } from '#test/support/database.ts'
import { type OtlpReceiver, startOtlpReceiver } from '#test/support/otlp-receiver.ts'
import { openPayingHouse, payable, untilState } from '#test/support/payments.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'
import { key } from '#test/support/treasury.ts'
import { startCluster } from './cluster.ts'
import { cleanUp, onCleanUp } from './processes.ts'
import { ask } from './service.ts'

vi.setConfig({ testTimeout: 120_000 })
afterAll(cleanUp)

async function startReceiver(): Promise<OtlpReceiver> {
  const receiver = await startOtlpReceiver()
  onCleanUp(() => receiver.close())
  return receiver
}

const exportingTo = ({ url }: OtlpReceiver) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: url })

test('a trace begins in the API process and ends in the worker', async () => {
  const [ofApi, ofWorker] = [await startReceiver(), await startReceiver()]
  const chain = await startTestChain()
  onCleanUp(() => chain.stop())
  const database = await createTestDatabase()
  await liftOwnersRowSecurity(database)
  const { service, urls } = await startCluster({
    ...{ apis: 1, workers: 1, database },
    env: { ...chain.env, FOLLOW_EVERY_MS: '200' },
    apiEnv: exportingTo(ofApi),
    workerEnv: exportingTo(ofWorker),
  })
  const house = await openPayingHouse({ service, chain, stop: async () => {} })
  const { token } = house.employee
  const expenses = `${urls[0]}${house.path}/expenses`
  const made = await ask('POST', expenses, {
    token,
    headers: key(),
    body: payable(house, { requestedMode: 'automatic' }),
  })
  const requestId = randomUUID()
  const submitted = await ask('POST', `${expenses}/${made.body.id}/submit`, {
    token,
    headers: { 'x-request-id': requestId },
    body: { expectedVersion: 1 },
  })
  expect(submitted.status).toBe(202)
  await untilState(house, made.body.id, 'paid')

  const traceId = requestId.replaceAll('-', '')
  const spansOf = ({ spans }: OtlpReceiver) => spans.filter((span) => span.traceId === traceId)
  await vi.waitFor(
    () => {
      const names = spansOf(ofWorker).map(({ name }) => name)
      const steps = ['job analyze_expense', 'job work_lane', 'chain eth_sendRawTransaction']
      expect(names).toEqual(expect.arrayContaining([...steps, 'payment confirmed']))
    },
    { timeout: 20_000, interval: 100 },
  )
  const [root] = spansOf(ofApi).filter(({ parentSpanId }) => parentSpanId === undefined)
  expect(root?.name).toMatch(/^POST .*\/submit$/)
  const jobs = spansOf(ofWorker).filter(({ name }) => name.startsWith('job '))
  expect(new Set(jobs.map(({ parentSpanId }) => parentSpanId))).toEqual(new Set([root?.spanId]))
})
