/** One request after the other: right by the contract, then perhaps spoilt in a way or two. */
import type { Random } from '#test/fuzz/random.ts'
import {
  anything,
  edge,
  fitting,
  type Schema,
  spoilt,
  text,
  uglyText,
  uuid,
} from '#test/fuzz/values.ts'
import type { Guest, Tenant, World } from '#test/fuzz/world.ts'
import { document } from '#test/support/contract.ts'

type Parameter = { name: string; in: 'path' | 'query' | 'header'; schema: Schema }

type Operation = {
  operationId: string
  method: string
  path: string
  realm: 'public' | 'consumer' | 'admin'
  parameters: Parameter[]
  body: Schema | undefined
}

type Described = {
  operationId: string
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  security?: Record<string, unknown>[]
}

function describeOperation(path: string, method: string, described: Described): Operation {
  const [scheme] = Object.keys(described.security?.[0] ?? {})
  return {
    operationId: described.operationId,
    method: method.toUpperCase(),
    path,
    realm: scheme === undefined ? 'public' : scheme === 'adminToken' ? 'admin' : 'consumer',
    parameters: described.parameters ?? [],
    body: described.requestBody?.content['application/json']?.schema,
  }
}

export const operations: Operation[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, described]) =>
    describeOperation(path, method, described as unknown as Described),
  ),
)

export type Request = {
  operation: Operation
  method: string
  params: Record<string, string>
  /** Replaces the operation's own path. */
  path?: string
  query: string[]
  headers: Record<string, string>
  token: string | undefined
  body: unknown
  /** Sent instead of the body. */
  raw?: string | Buffer
  caller: Guest
  tenant: Tenant | undefined
}

export const urlOf = ({ operation, path, params, query }: Request): string => {
  const filled = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ''),
  )
  return (path ?? filled) + (query.length > 0 ? `?${query.join('&')}` : '')
}

const newest = <T>(random: Random, list: readonly T[] | undefined): T | undefined =>
  list && list.length > 0 ? random.pick(list) : undefined

function paramOf(random: Random, name: string, tenant: Tenant | undefined): string {
  const known: Record<string, readonly string[] | undefined> = {
    organizationId: tenant && [tenant.id],
    membershipId: tenant?.membershipIds,
    walletRoleId: tenant?.walletRoleIds,
    invitationId: tenant?.invitationIds,
    recipientId: tenant?.recipientIds,
    token: tenant?.inviteTokens,
  }
  return newest(random, known[name]) ?? uuid(random)
}

function bodyOf(random: Random, operation: Operation, caller: Guest, tenant: Tenant | undefined) {
  if (!operation.body) return undefined
  const body = fitting(random, operation.body) as Record<string, unknown>
  if (operation.operationId === 'openConsumerSession') {
    body.identityToken = random.pick(caller.identityTokens)
  }
  if (operation.operationId === 'openAdminSession') return {}
  if (operation.operationId === 'assignWalletRole') {
    Object.assign(body, newest(random, tenant?.wallets))
  }
  if ('chainId' in body && random.chance(0.8)) body.chainId = 31_337
  return body
}

/** Where there is more to get wrong, more is tried. */
const weights = operations.map((operation) => {
  const parts =
    operation.parameters.length + 3 * Object.keys(operation.body?.properties ?? {}).length
  return [1 + parts, operation] as const
})

/** What somebody would send who has read the contract and knows what there is. */
function wellMeant(random: Random, world: World): Request {
  const operation = random.weighted(weights)
  const tenant = newest(random, world.tenants)
  // Whoever accepts an invitation is not a member yet; anything else is mostly a member's doing.
  const isMembers = operation.path.includes('{organizationId}')
  const owner = tenant?.members.at(-1)
  const caller =
    (isMembers ? (random.chance(0.7) ? owner : newest(random, tenant?.members)) : undefined) ??
    random.pick(world.people)
  const token = operation.realm === 'admin' ? random.pick(world.operators) : caller.token
  const isKeyed = operation.parameters.some((parameter) => parameter.in === 'header')
  const inPath = operation.parameters.filter((parameter) => parameter.in === 'path')
  const inQuery = operation.parameters.filter((parameter) => parameter.in === 'query')
  const values = { limit: random.integer(1, 200), cursor: newest(random, world.cursors) ?? '' }
  return {
    operation,
    method: operation.method,
    params: Object.fromEntries(inPath.map(({ name }) => [name, paramOf(random, name, tenant)])),
    query: inQuery
      .filter(({ name }) => random.chance(0.3) && (name !== 'cursor' || values.cursor))
      .map(({ name }) => `${name}=${name === 'limit' ? values.limit : values.cursor}`),
    headers: isKeyed ? { 'idempotency-key': keyOf(random) } : {},
    token: operation.realm === 'public' ? undefined : token,
    body: bodyOf(random, operation, caller, tenant),
    caller,
    tenant,
  }
}

/** Now and then one that was used before. */
const keyOf = (random: Random): string =>
  random.chance(0.25) ? `key-${random.integer(1, 4)}` : uuid(random)

const asObject = (body: unknown): Record<string, unknown> =>
  typeof body === 'object' && body !== null ? { ...body } : {}

type Spoiler = (random: Random, request: Request, world: World) => void

const spoilField: Spoiler = (random, request) => {
  const properties = Object.entries(request.operation.body?.properties ?? {})
  const [name, schema] = properties.length > 0 ? random.pick(properties) : ['surprise', {}]
  const body = asObject(request.body)
  random.weighted<() => void>([
    [2, () => delete body[name]],
    [3, () => Object.assign(body, { [name]: anything(random) })],
    [3, () => Object.assign(body, { [name]: edge(random, schema) })],
    [6, () => Object.assign(body, { [name]: spoilt(random, body[name]) })],
    [1, () => Object.assign(body, { [uglyText(random).slice(0, 30)]: anything(random) })],
    [1, () => Object.assign(body, { id: uuid(random), role: 'owner', organizationId: '1' })],
  ])()
  request.body = body
}

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`

const spoilBody: Spoiler = (random, request) => {
  const whole = JSON.stringify(request.body ?? {})
  request.raw = random.weighted<() => string | Buffer>([
    [2, () => JSON.stringify(anything(random)) ?? ''],
    [2, () => whole.slice(0, random.integer(0, whole.length))],
    [2, () => Buffer.from(Array.from({ length: 64 }, () => random.integer(0, 255)))],
    [1, () => `${whole.slice(0, -1)},${whole.slice(1)}`],
    [1, () => `{"__proto__":{"name":"x"},"constructor":1}`],
    [1, () => nested(random.pick([10, 5_000, 30_000]))],
    [1, () => JSON.stringify({ ...asObject(request.body), pad: 'x'.repeat(70_000) })],
    [1, () => `${whole}${' '.repeat(100)}`],
    [1, () => `\ufeff${whole}`],
    [1, () => whole.replace('"', '"\\ud800')],
    [1, () => ''],
  ])()
}

const TYPES = [
  ...['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'],
  ...['application/json; charset=utf-16', 'application/json;charset=UTF-8', 'Application/JSON'],
  ...['application/json, text/plain', 'application/jsonp', 'application/xml', '', ' ', 'json', '*'],
  ...['application/json\t;a=b', 'application/vnd.api+json'],
]

const spoilHeaders: Spoiler = (random, request) => {
  const [name, value] = random.weighted<() => [string, string]>([
    [4, () => ['content-type', random.pick(TYPES)]],
    [
      3,
      () => ['idempotency-key', random.pick(['', ' ', '""', '"k"', 'k'.repeat(256), 'a b', 'é'])],
    ],
    [2, () => ['x-request-id', random.pick(['', 'mine-1', 'a b', 'x'.repeat(129), '<script>'])]],
    [1, () => ['accept', random.pick(['text/html', 'image/*', '', 'application/json;q=0'])]],
    [1, () => ['authorization', random.pick(['Basic eDp5', 'Bearer', 'bearer  x', 'Token x'])]],
    [1, () => [`x-${text(random, 1, 8).replace(/[^a-z]/g, 'z')}`, 'y'.repeat(4_000)]],
    [1, () => ['content-encoding', random.pick(['gzip', 'br', 'identity'])]],
    [1, () => ['origin', 'https://evil.example']],
  ])()
  request.headers[name] = value
  if (name === 'idempotency-key' && random.chance(0.3)) delete request.headers[name]
}

/** What has no UTF-8 cannot stand in a URL. */
const forUrl = (random: Random, length: number): string =>
  uglyText(random).slice(0, length).toWellFormed()

const spoilParams: Spoiler = (random, request, world) => {
  const names = Object.keys(request.params)
  if (names.length === 0) return
  request.params[random.pick(names)] = random.weighted<() => string>([
    [3, () => uuid(random)],
    [2, () => newest(random, world.tenants)?.id ?? ''],
    [2, () => request.params.organizationId?.toUpperCase() ?? 'X'],
    [3, () => forUrl(random, 2_000) || 'x'],
    [1, () => random.pick(['null', 'undefined', '0', '-1', '*', "'", 'a'.repeat(3_000)])],
  ])()
}

const LIMITS = ['0', '1', '200', '201', '-1', 'abc', '1.5', '1e2', '', '%20', 'null', 'true', '١']

const spoilQuery: Spoiler = (random, request, world) => {
  request.query.push(
    random.weighted<() => string>([
      [3, () => `limit=${random.pick(LIMITS)}`],
      [1, () => 'limit=1&limit=2'],
      [1, () => 'limit[]=1'],
      [2, () => `cursor=${newest(random, world.cursors)}`],
      [2, () => `cursor=${'A'.repeat(random.pick([0, 21, 22, 23, 500]))}`],
      [1, () => `cursor=${encodeURIComponent(forUrl(random, 200))}`],
      [1, () => `q=${encodeURIComponent(forUrl(random, 500))}`],
      [1, () => random.pick(['__proto__=1', 'constructor[x]=1', '%zz', '=', '&&', 'a=%ff'])],
    ])(),
  )
}

const spoilPath: Spoiler = (random, request) => {
  const url = urlOf({ ...request, query: [] })
  request.path = random.weighted<() => string>([
    [2, () => `${url}/`],
    [1, () => `${url}//`],
    [2, () => `${url}/extra`],
    [1, () => url.toUpperCase()],
    [1, () => url.slice(0, random.integer(1, url.length))],
    [1, () => `${url}%00`],
    [1, () => `${url.slice(0, -1)}%zz`],
    [1, () => `${url.slice(0, -1)}%c3%28`],
    [1, () => `/${encodeURIComponent(forUrl(random, 500))}`],
    [1, () => random.pick(['/', '/v1', '/v2/consumer/me', '/.env', '/metrics', '/docs/', '/*'])],
  ])()
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']

const spoilMethod: Spoiler = (random, request) => {
  request.method = random.pick(METHODS)
}

const spoilToken: Spoiler = (random, request, world) => {
  request.token = random.weighted<() => string | undefined>([
    [3, () => undefined],
    [3, () => random.pick(world.people).token],
    [2, () => random.pick(world.operators)],
    [4, () => random.pick(world.badTokens)],
    [1, () => `${request.token}${random.pick(['', 'x', '=', '.'])}`],
  ])()
}

const spoilers: readonly (readonly [number, Spoiler])[] = [
  [5, spoilField],
  [3, spoilBody],
  [2, spoilHeaders],
  [3, spoilParams],
  [2, spoilQuery],
  [1, spoilPath],
  [1, spoilMethod],
  [4, spoilToken],
]

export function makeRequest(random: Random, world: World): Request {
  const request = wellMeant(random, world)
  const times = random.weighted([
    [40, 0],
    [40, 1],
    [14, 2],
    [6, 3],
  ])
  for (let n = 0; n < times; n += 1) random.weighted(spoilers)(random, request, world)
  return request
}
