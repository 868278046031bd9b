import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '#test/support/app.ts'

let service: TestApp

beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service.stop())

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

  test('is 503 in the readiness shape when the database is away', async () => {
    const away = await startTestApp()
    await away.database.drop()
    const { status, body } = await away.call('GET', '/health/ready')
    expect(status).toBe(503)
    expect(body).toEqual({ status: 'error', checks: { database: 'error' } })
    await away.stop()
  })
})
