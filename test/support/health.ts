/** Runs health checks as a worker would, and reads what was reported. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'vitest'
import { type ProbeContext, probeServices } from '#health/probe-services.ts'
import { readServiceHealth } from '#health/read-service-health.ts'
import { recordHealth } from '#health/record-health.ts'
import type { ServiceHealth, ServiceId } from '#health/service-health.ts'
import type { TestApp } from './app.ts'

export async function look(service: TestApp, replace: Partial<ProbeContext> = {}): Promise<void> {
  await recordHealth(service.ctx, await probeServices({ ...service.ctx, ...replace }))
}

export async function healthOf(
  { ctx }: TestApp,
  id: ServiceId,
  organizationId: string | null = null,
): Promise<ServiceHealth> {
  const found = (await readServiceHealth(ctx, { organizationId })).find((each) => each.id === id)
  if (!found) throw new Error(`Nothing is said of ${id}`)
  return found
}

/** Checks, and expects this result for the integration. */
export async function expectFound(
  service: TestApp,
  id: ServiceId,
  [severity, code]: [string, string | null],
): Promise<ServiceHealth> {
  await look(service)
  const found = await healthOf(service, id)
  expect([found.severity, found.code]).toEqual([severity, code])
  return found
}

type Told = { organizationId: string | null; service: string; severity: string; audience: string }

/** Every reported change so far, in order. */
export const changesTold = ({ database }: TestApp): Promise<Told[]> =>
  database.asOwner<Told>(
    `select organization_id as "organizationId", aggregate_id as service, severity, audience
     from live_events where kind = 'service.changed' order by seq`,
  )

export type KeyServer = {
  url: string
  answer: { status: number; text: string } | 'hang up'
  requests: number
  stop(): Promise<void>
}

/** Serves a key set, or whatever it is told to. */
export async function startKeyServer(text: string): Promise<KeyServer> {
  const server = createServer((_request, response) => {
    keys.requests += 1
    if (keys.answer === 'hang up') return void response.destroy()
    response.setHeader('content-type', 'application/json')
    response.writeHead(keys.answer.status).end(keys.answer.text)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  const keys: KeyServer = {
    url: `http://127.0.0.1:${port}/jwks.json`,
    answer: { status: 200, text },
    requests: 0,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return keys
}
