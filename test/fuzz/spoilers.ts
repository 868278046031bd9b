/** Mutations of a request: a valid one, then perhaps invalidated in one or two ways. */
import { newest, type Random } from '#test/fuzz/random.ts'
import { type Request, urlOf, wellMeant } from '#test/fuzz/requests.ts'
import { anything, edge, spoilt, text, uglyText, uuid } from '#test/fuzz/values.ts'
import type { World } from '#test/fuzz/world.ts'

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
    [1, () => ['if-none-match', random.pick(['*', 'W/"x"', '"', '"a", *', 'x'.repeat(5_000)])]],
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

/** Text without a UTF-8 encoding cannot be in a URL. */
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
