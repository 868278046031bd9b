import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApi } from '#main.ts'
import { createLog } from '#platform/log.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'

let service: TestApp

beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service.stop())

test('a successful probe is counted but not logged; a failing one is logged', async () => {
  const lines: Record<string, unknown>[] = []
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) }
  const probed = await startTestApp({ replace: { log: createLog({ level: 'info', destination }) } })
  const routes = () =>
    lines.filter(({ msg }) => msg === 'request').map(({ route, status }) => `${route} ${status}`)
  for (const path of ['/health/live', '/health/ready', '/health/ready/', '/nowhere']) {
    await probed.call('GET', path)
  }
  expect(routes()).toEqual(['unmatched 404'])
  const metrics = await probed.ctx.metrics.registry.metrics()
  expect(metrics).toMatch(/route="\/health\/ready",status="200"\S* 2/)
  await probed.database.drop()
  await probed.call('GET', '/health/ready')
  expect(routes()).toEqual(['unmatched 404', '/health/ready 503'])
  await probed.stop()
})

describe('GET /health/live', () => {
  test('answers without a token', async () => {
    const { status, body } = await service.call('GET', '/health/live')
    expect(status).toBe(200)
    expect(body).toEqual({ status: 'ok', service: 'api', version: '0.0.1' })
  })
})

describe('GET /health/ready', () => {
  test('is 200 while the database answers', async () => {
    const { status, body } = await service.call('GET', '/health/ready')
    expect(status).toBe(200)
    expect(body).toEqual({ status: 'ok', checks: { database: 'ok' } })
  })

  test('is 503 in the readiness shape when the database is unavailable', async () => {
    const away = await startTestApp()
    await away.database.drop()
    const { status, body } = await away.call('GET', '/health/ready')
    expect(status).toBe(503)
    expect(body).toEqual({ status: 'error', checks: { database: 'error' } })
    await away.stop()
  })

  test('is 503 after the stop signal, while requests are still answered', async () => {
    const { ctx } = service
    const config = { ...ctx.config, port: 0, drainMs: 3_000 }
    const { url, stop } = await startApi({ ...ctx, config })
    expect((await fetch(`${url}/health/ready`)).headers.get('connection')).toBe('keep-alive')
    const stopped = stop()
    const ready = await fetch(`${url}/health/ready`)
    expect(ready.status).toBe(503)
    expect(await ready.json()).toEqual({ status: 'error', checks: { database: 'ok' } })
    const live = await fetch(`${url}/health/live`)
    // Clients with a kept-alive connection are sent elsewhere too.
    expect([live.status, live.headers.get('connection')]).toEqual([200, 'close'])
    await stopped
    await expect(fetch(`${url}/health/live`)).rejects.toMatchObject({
      cause: { code: 'ECONNREFUSED' },
    })
  })
})
