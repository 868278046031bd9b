/** The built application as the gateway serves it, and what is there in development only. */
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Environment } from '#platform/config/config.ts'
import { readWebConfig } from '#platform/config/web.ts'
import { StartupError } from '#platform/errors.ts'
import { TEST_WEB_SECRET } from '#test/support/gateway.ts'
import { buildGateway, composeWeb, type DevelopmentParts } from '#web.ts'

const MAP = '{"imports":{},"integrity":{"/assets/app-1a2b3c4d.js":"sha384-x"}}'
const INDEX =
  `<!doctype html><html><head><script type="importmap">${MAP}</script>` +
  '<script type="module" src="/assets/app-1a2b3c4d.js"></script></head><body></body></html>'
const VERIFY = '<!doctype html><html><head><title>Verify</title></head><body></body></html>'
const SCRIPT = 'export const answer = 42\n'.repeat(40)

let root: string
const started: FastifyInstance[] = []

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'countersign-pages-'))
  await mkdir(join(root, 'assets'))
  await writeFile(join(root, 'index.html'), INDEX)
  await writeFile(join(root, 'verify.html'), VERIFY)
  await writeFile(join(root, 'sw.js'), 'self.skipWaiting()')
  const script = join(root, 'assets', 'app-1a2b3c4d.js')
  await writeFile(script, SCRIPT)
  await writeFile(`${script}.br`, brotliCompressSync(SCRIPT))
  await writeFile(`${script}.gz`, gzipSync(SCRIPT))
})
afterAll(async () => {
  await Promise.all(started.map((app) => app.close()))
  await rm(root, { recursive: true, force: true })
})

const environment = (): Environment => ({
  NODE_ENV: 'production',
  DATABASE_URL: 'postgres://127.0.0.1:1/none',
  WEB_SECRET: TEST_WEB_SECRET,
  WEB_ORIGIN: 'https://app.example',
  API_URL: 'https://api.example',
  WEB_ROOT: root,
  CONSUMER_ISSUER: 'https://identity.example',
  CONSUMER_CLIENT_ID: 'web',
  LOG_LEVEL: 'silent',
})

async function start(env: Environment = {}, development?: DevelopmentParts) {
  const ctx = composeWeb(readWebConfig({ ...environment(), ...env }))
  const app = await buildGateway(ctx, { development })
  app.addHook('onClose', () => ctx.db.close())
  started.push(app)
  return app
}

const page = { accept: 'text/html,application/xhtml+xml' }

describe('a page', () => {
  test.each(['/', '/expenses/1', '/sign-in?problem=state_lost'])('is served at %s', async (url) => {
    const app = await start()
    const { statusCode, headers, payload } = await app.inject({ url, headers: page })
    expect([statusCode, payload]).toEqual([200, INDEX])
    expect(headers['cache-control']).toBe('no-cache')
    const etag = String(headers.etag)
    const again = await app.inject({ url, headers: { ...page, 'if-none-match': etag } })
    expect(again.statusCode).toBe(304)
    const small = await app.inject({ url, headers: { ...page, 'accept-encoding': 'br, gzip' } })
    expect(small.headers['content-encoding']).toBe('br')
  })

  test('may load and run only what belongs to the build', async () => {
    const { headers } = await (await start()).inject({ url: '/', headers: page })
    const hash = createHash('sha256').update(MAP).digest('base64')
    expect(headers['content-security-policy']).toBe(
      `default-src 'none'; script-src 'self' 'sha256-${hash}'; style-src 'self'; ` +
        "img-src 'self' data:; font-src 'self'; connect-src 'self'; worker-src 'self'; " +
        "manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; " +
        "require-trusted-types-for 'script'; trusted-types countersign-worker",
    )
    expect(headers).toMatchObject({
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-embedder-policy': 'require-corp',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'strict-transport-security': 'max-age=63072000; includeSubDomains',
      'permissions-policy': expect.stringContaining('camera=()'),
    })
  })

  test('that verifies evidence reaches nothing', async () => {
    const { headers, payload } = await (await start()).inject({ url: '/verify', headers: page })
    expect(payload).toBe(VERIFY)
    const policy = String(headers['content-security-policy'])
    expect(policy).toContain("connect-src 'none'")
    expect(policy).toContain("script-src 'self';")
  })

  test('is not served instead of a missing file, or to anything but a browser', async () => {
    const app = await start()
    const cases: [url: string, accept: string][] = [
      ['/assets/gone-12345678.js', '*/*'],
      ['/assets/gone-12345678.js', page.accept],
      ['/expenses', 'application/json'],
      ['/expenses', '*/*'],
      ['/../package.json', page.accept],
      ['/.env', '*/*'],
      ['/assets/..%2findex.html', '*/*'],
    ]
    for (const [url, accept] of cases) {
      const { statusCode, payload } = await app.inject({ url, headers: { accept } })
      expect([url, statusCode === 404 || payload === INDEX]).toEqual([url, true])
      if (accept === '*/*') expect(statusCode, url).toBe(404)
    }
  })
})

describe('a file', () => {
  test('with a hash in its name is kept for ever, and is sent compressed', async () => {
    const app = await start()
    const url = '/assets/app-1a2b3c4d.js'
    const plain = await app.inject({ url })
    expect([plain.statusCode, plain.payload]).toEqual([200, SCRIPT])
    expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable')
    expect(plain.headers['content-type']).toMatch(/^(?:text|application)\/javascript/)
    for (const encoding of ['br', 'gzip']) {
      const { headers } = await app.inject({ url, headers: { 'accept-encoding': encoding } })
      expect(headers['content-encoding']).toBe(encoding)
      expect(headers['content-type']).toMatch(/javascript/)
    }
  })

  test('with a fixed name is checked every time', async () => {
    const { headers } = await (await start()).inject({ url: '/sw.js' })
    expect(headers['cache-control']).toBe('no-cache')
  })

  test('is part of the published hash of the build', async () => {
    const app = await start()
    const { body } = await app.inject({ url: '/config.json' })
    const names = ['assets/app-1a2b3c4d.js', 'index.html', 'sw.js', 'verify.html']
    const contents = [SCRIPT, INDEX, 'self.skipWaiting()', VERIFY]
    const lines = names.map((name, at) => {
      const digest = createHash('sha256')
        .update(contents[at] ?? '')
        .digest('hex')
      return `${digest}  ./${name}\n`
    })
    const buildHash = createHash('sha256').update(lines.join('')).digest('hex')
    expect(JSON.parse(body)).toEqual({ realm: 'consumer', isDevelopment: false, buildHash })
  })
})

describe('development', () => {
  const development: DevelopmentParts = {
    script: '/dev/wallet.js',
    routes: (app) => void app.post('/dev/faucet', async () => ({})),
  }
  const local = { NODE_ENV: 'test', WEB_ORIGIN: '' }

  test('adds a wallet to the page, and says so', async () => {
    const app = await start(local, development)
    const { payload } = await app.inject({ url: '/', headers: { ...page, host: '127.0.0.1:4100' } })
    expect(payload).toContain(
      '<script type="module" src="/dev/wallet.js" fetchpriority="low"></script></head>',
    )
    const { body } = await app.inject({ url: '/config.json' })
    expect(JSON.parse(body).isDevelopment).toBe(true)
    const other = await app.inject({ method: 'POST', url: '/dev/faucet' })
    expect(other.statusCode).toBe(403)
    const headers = { 'x-countersign': '1' }
    const own = await app.inject({ method: 'POST', url: '/dev/faucet', headers })
    expect(own.statusCode).toBe(200)
  })

  test('sends people from localhost to the address that sign-in returns to', async () => {
    const app = await start(local, development)
    const { headers } = await app.inject({
      url: '/a',
      headers: { ...page, host: 'localhost:4100' },
    })
    expect(headers.location).toBe('http://127.0.0.1:4100/a')
  })

  test('shows what to do while nothing is built', async () => {
    const app = await start({ ...local, WEB_ROOT: join(root, 'nowhere') }, development)
    const { payload } = await app.inject({ url: '/', headers: { ...page, host: '127.0.0.1:4100' } })
    expect(payload).toContain('npm run build:web')
  })

  test('is absent from production', async () => {
    const app = await start()
    const headers = { 'x-countersign': '1' }
    for (const url of ['/dev/faucet', '/dev/rpc']) {
      const { statusCode } = await app.inject({ method: 'POST', url, headers })
      expect([url, statusCode]).toEqual([url, 404])
    }
    expect((await app.inject({ url: '/dev/wallet.js' })).statusCode).toBe(404)
  })
})

describe('production', () => {
  test('has cookies that stay on its host and on https', async () => {
    const { cookieNames } = await import('#web/cookies.ts')
    const config = readWebConfig(environment())
    expect(cookieNames({ config })).toEqual({
      session: '__Host-countersign-consumer',
      state: '__Host-countersign-consumer-sign-in',
      isSecure: true,
    })
  })

  test('does not start without a build', async () => {
    const failed = await start({ WEB_ROOT: join(root, 'nowhere') }).catch((error) => error)
    expect(failed).toBeInstanceOf(StartupError)
    expect(failed.message).toMatch(/^WEB_ROOT .*nowhere has no index\.html\./)
  })

  test.each<[string, Environment, RegExp]>([
    ['no secret', { WEB_SECRET: '' }, /^Set WEB_SECRET: /],
    ['a weak secret', { WEB_SECRET: 'a'.repeat(40) }, /^WEB_SECRET is too easy to guess/],
    ['no origin', { WEB_ORIGIN: '' }, /^Set WEB_ORIGIN: /],
    ['an origin without https', { WEB_ORIGIN: 'http://app.example' }, /^WEB_ORIGIN: /],
    ['no client', { CONSUMER_CLIENT_ID: '' }, /^Set CONSUMER_CLIENT_ID: /],
    ["the API's secret", { SERVER_SECRET: 'x' }, /^Gateways must not have SERVER_SECRET/],
    ["a worker's secret", { KEYSTORE_SECRET: 'x' }, /^Gateways must not have KEYSTORE_SECRET/],
    ['an issuer that is no URL', { CONSUMER_ISSUER: 'privy.io' }, /^Set CONSUMER_DISCOVERY_URL: /],
    ['another state', { CONSUMER_SIGN_IN_PARAMETERS: 'state=1' }, /must not set state/],
    ['a scope without openid', { CONSUMER_SCOPE: 'profile' }, /must contain openid/],
  ])('refuses %s', (_name, changed, message) => {
    expect(() => readWebConfig({ ...environment(), ...changed })).toThrow(message)
  })

  test('serves the other realm with the same code', () => {
    const config = readWebConfig({
      ...environment(),
      WEB_REALM: 'admin',
      ADMIN_ISSUER: 'https://identity.example',
      ADMIN_CLIENT_ID: 'console',
    })
    expect(config).toMatchObject({ realm: 'admin', port: 4200, provider: { clientId: 'console' } })
  })
})
