/** `npm start` as a process, and what a person does with it over HTTP. */
import { randomUUID } from 'node:crypto'
import { expect, inject } from 'vitest'
import {
  type Environment,
  freePort,
  isFree,
  makeFolder,
  processesOf,
  type Running,
  runScript,
} from '#test/processes/processes.ts'
import { WIDE_LIMITS } from '#test/support/app.ts'
import { copyFolder } from '#test/support/postgres.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read answers whose shape they assert
export type Reply = { status: number; body: any; headers: Headers }

export type Ask = {
  token?: string
  body?: unknown
  headers?: Record<string, string>
  timeoutMs?: number
}

export async function ask(method: string, url: string, options: Ask = {}): Promise<Reply> {
  const { token, body, headers = {}, timeoutMs = 20_000 } = options
  const response = await fetch(url, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(timeoutMs),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json')
  return {
    status: response.status,
    body: isJson ? JSON.parse(text) : text,
    headers: response.headers,
  }
}

/** The folder and ports of one copy of the service. */
export type Place = {
  folder: string
  port: number
  devPort: number
  chainPort: number
  env: Environment
}

/** With an empty database in it already, except where a test is about the first start. */
export async function makePlace({ empty = false } = {}): Promise<Place> {
  const folder = await makeFolder()
  if (!empty) await copyFolder(inject('preparedFolder'), folder)
  const [port, devPort, chainPort] = [await freePort(), await freePort(), await freePort()]
  const env = {
    DATA_DIR: folder,
    PORT: String(port),
    DEV_PORT: String(devPort),
    DEV_CHAIN_PORT: String(chainPort),
    // Most tests need no pages; those that do set another port.
    WEB_PORT: 'off',
    ADMIN_WEB_PORT: 'off',
  }
  return { folder, port, devPort, chainPort, env }
}

export type Service = Running & {
  api: string
  helper: string
  rpc: string
  metrics: string
  place: Place
}

export async function startService(
  place: Place,
  env: Environment = {},
  args: string[] = [],
  chapters: RegExp[] = [],
): Promise<Service> {
  const all = { ...WIDE_LIMITS, ...place.env, ...env }
  const running = runScript('src/dev/start.ts', all, args)
  for (const chapter of chapters) await running.says(chapter)
  return untilReady(running, place)
}

const GREETING =
  /API +(\S+)[\s\S]*Helper +(\S+)[\s\S]*Chain +(\S+)[\s\S]*Metrics +(\S+)[\s\S]*Ctrl-C stops it\./

export async function untilReady(running: Running, place: Place): Promise<Service> {
  const [, api = '', helper = '', rpc = '', metrics = ''] = await running.says(GREETING)
  return { ...running, api, helper, rpc, metrics, place }
}

const portOf = (url: string): number => Number(new URL(url).port)

export async function expectNothingLeft(service: Service): Promise<void> {
  const { place, api, helper, rpc, metrics } = service
  // A process that is not the test's own child may take a moment longer to end.
  await expect.poll(() => processesOf(place.folder), { timeout: 30_000 }).toEqual([])
  const ports = [api, helper, rpc, metrics].map(portOf)
  expect(await Promise.all(ports.map(isFree))).toEqual([true, true, true, true])
}

export async function expectStops(
  service: Service,
  stop: () => void,
  limitMs = 10_000,
): Promise<Awaited<Running['ended']>> {
  const began = performance.now()
  stop()
  const ended = await service.ended
  expect(performance.now() - began).toBeLessThan(limitMs)
  await expectNothingLeft(service)
  return ended
}

/** Opens a consumer session and returns the access token. */
export async function signIn(
  { api, helper }: Pick<Service, 'api' | 'helper'>,
  subject = `person-${randomUUID()}`,
): Promise<string> {
  const issued = await ask('POST', `${helper}/token`, { body: { realm: 'consumer', subject } })
  const { accessToken: token, identityToken } = issued.body
  const session = await ask('PUT', `${api}/v1/consumer/session`, { token, body: { identityToken } })
  expect(session.status).toBe(200)
  return token
}

export async function makeOrganization(
  { api }: Pick<Service, 'api'>,
  token: string,
  name = 'Acme',
): Promise<{ id: string; path: string }> {
  const made = await ask('POST', `${api}/v1/consumer/organizations`, { token, body: { name } })
  expect(made.status).toBe(201)
  return { id: made.body.id, path: `${api}/v1/consumer/organizations/${made.body.id}` }
}

export const key = () => ({ 'idempotency-key': randomUUID() })
