/**
 * compose.yaml and the Dockerfile agree with README.md; their SQL and logins on a real PostgreSQL.
 */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startEmbeddedPostgres } from '#dev/embedded-postgres.ts'
import { readSecret } from '#platform/config/secrets.ts'
import { production } from './environment.ts'
import {
  cleanUp,
  type Environment,
  makeFolder,
  onCleanUp,
  ROOT,
  run,
  runScript,
} from './processes.ts'
import { ask } from './service.ts'

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })
afterAll(cleanUp)

const read = (name: string) => readFile(join(ROOT, name), 'utf8')

/** The lines of one service, without comments. */
function serviceIn(compose: string, name: string): string {
  const [, rest = ''] = compose.split(new RegExp(`^  ${name}:\n`, 'm'))
  const [body = ''] = rest.split(/^(?: {2})?\S/m)
  return body.replace(/^\s*#.*$/gm, '')
}

/** The file as it is, not its bundle for tests. */
const runFile = (script: string, args: string[], env: Environment = {}) =>
  run(process.execPath, ['--import', './require-node.mjs', script, ...args], env)

const DIGEST = /@sha256:[0-9a-f]{64}$/m

describe('compose.yaml', () => {
  let compose: string

  beforeAll(async () => {
    compose = await read('compose.yaml')
  })

  test('pins every image by digest', () => {
    const images = compose.match(/^ +image: .+$/gm) ?? []
    expect(images).toHaveLength(1)
    for (const image of images) expect(image).toMatch(DIGEST)
  })

  test('has no password in a URL, and a login for each process', () => {
    const urls = [...compose.matchAll(/DATABASE_URL: (\S+)/g)].map(([, url = '']) => new URL(url))
    expect(urls.map(({ username, password }) => [username, password])).toEqual([
      ['countersign', ''],
      ['countersign_api', ''],
      ['countersign_work', ''],
      ['countersign_gateway', ''],
      ['countersign_gateway', ''],
    ])
    expect(compose).not.toMatch(/postgres:\/\/[^\s/]*\$\{/)
    expect(serviceIn(compose, 'api')).toContain(['PGPASSWORD: $', '{API_LOGIN_PASSWORD}'].join(''))
    expect(serviceIn(compose, 'worker')).toContain(
      ['PGPASSWORD: $', '{WORKER_LOGIN_PASSWORD}'].join(''),
    )
  })

  test("gives workers' secrets to workers only, and none to migrate and logins", () => {
    expect(serviceIn(compose, 'worker')).toContain('env_file: [deploy.env, deploy.worker.env]')
    expect(serviceIn(compose, 'api')).toContain('env_file: [deploy.env]')
    expect(serviceIn(compose, 'web')).toContain('env_file: [deploy.web.env]')
    expect(serviceIn(compose, 'admin-web')).toContain('env_file: [deploy.admin-web.env]')
    for (const name of ['migrate', 'logins']) {
      expect(serviceIn(compose, name)).not.toContain('env_file')
    }
  })

  test('opens fewer connections than PostgreSQL allows, even while all are replaced', () => {
    const numberOf = (service: string, name: string) =>
      Number(new RegExp(`${name}: (\\d+)`).exec(serviceIn(compose, service))?.[1])
    const pools = (service: string) =>
      numberOf(service, 'DATABASE_POOL_SIZE') + numberOf(service, 'OBSERVER_POOL_SIZE') + 7
    const api = pools('api')
    const worker = pools('worker') + numberOf('worker', 'WORKER_CONCURRENCY') + 6
    expect([api, worker]).toEqual([21, 35])
    const [, max = ''] = /max_connections=(\d+)/.exec(compose) ?? []
    const [, apis = '', workers = ''] = /--scale api=(\d) --scale worker=(\d)/.exec(compose) ?? []
    const atOnce = 2 * (Number(apis) * api + Number(workers) * worker)
    expect(atOnce).toBe(224)
    const gateways = ['web', 'admin-web'].map((name) => numberOf(name, 'DATABASE_POOL_SIZE'))
    expect(gateways).toEqual([5, 5])
    expect(Number(max)).toBeGreaterThanOrEqual(atOnce + 2 * 10 + 20)
  })
})

describe('the Dockerfile', () => {
  test('pins Node by digest in one argument, at a supported version', async () => {
    const file = await read('Dockerfile')
    const [, image = ''] = /^ARG NODE_IMAGE=(.+)$/m.exec(file) ?? []
    expect(image).toMatch(DIGEST)
    const [, minor] = /^node:24\.(\d+)\./.exec(image) ?? []
    expect(Number(minor)).toBeGreaterThanOrEqual(15)
    const bases = [...file.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base)
    expect(new Set(bases)).toEqual(new Set([['$', '{NODE_IMAGE}'].join(''), 'service']))
  })

  test('compiles as the user that runs the service, and copies it as root', async () => {
    const file = await read('Dockerfile')
    const [, compiling = ''] = file.split(/^FROM service AS compiled$/m)
    expect(compiling.indexOf('USER node')).toBeLessThan(compiling.indexOf('RUN node --import'))
    expect(file).toContain(
      'COPY --from=compiled /service/node_modules/.cache node_modules/.cache\n',
    )
    expect(file.match(/^USER .+$/gm)?.at(-1)).toBe('USER node')
  })

  test.runIf(process.getuid)('relies on Node keeping a compile cache for each user', async () => {
    const NODE_COMPILE_CACHE = await makeFolder()
    const script =
      "const m = require('node:module'); m.flushCompileCache(); " +
      'console.log(m.getCompileCacheDir())'
    const node = run(process.execPath, ['-e', script], { NODE_COMPILE_CACHE })
    await node.ended
    expect(node.stdout().trim()).toMatch(new RegExp(`-${process.getuid?.()}$`))
  })
})

describe('npm run build:service', () => {
  /** Inside the repository, as `dist` is: bundles load other packages from node_modules. */
  let folder: string

  beforeAll(async () => {
    folder = await mkdtemp(join(ROOT, 'node_modules', '.cache', 'built-'))
    onCleanUp(() => rm(folder, { recursive: true, force: true }))
    // An earlier build, which must not survive.
    await writeFile(join(folder, 'old.mjs'), '')
    const built = runFile('tools/service/build.ts', [folder])
    expect(await built.ended, built.stderr()).toEqual({ code: 0, signal: null })
  })

  test('replaces what was built before', async () => {
    const found = await readdir(folder)
    expect(found).toContain('src')
    expect(found).not.toContain('old.mjs')
  })

  test.each(['main', 'worker', 'web'])(
    'bundles %s, which loads and says what it lacks',
    async (name) => {
      const started = runFile(join(folder, 'src', `${name}.mjs`), [], { NODE_ENV: 'production' })
      expect(await started.ended).toEqual({ code: 1, signal: null })
      expect(started.stderr()).toMatch(/SECRET|DATABASE_URL/)
      expect(started.stderr()).not.toContain('    at ')
    },
  )
})

describe('deploy.env.example', () => {
  test('leaves every secret empty, so that no default is used', async () => {
    for (const name of ['deploy', 'deploy.worker', 'deploy.web', 'deploy.admin-web']) {
      expect(await read(`${name}.env.example`)).not.toMatch(/SECRET=./)
    }
    expect(() => readSecret({}, 'SERVER_SECRET', true)).toThrow('32 bytes')
  })
})

/** Every character that a URL would need escaped. */
const ODD = `p@ss/w:rd%41?#&+='"\\$`

describe('the logins of a deployment', () => {
  let server: URL
  let owner: URL

  const asUser = (base: URL, { user = '', password = '', database = 'deployed' }) => {
    const url = new URL(base)
    url.username = user
    url.password = encodeURIComponent(password)
    url.pathname = database
    return url
  }
  const query = async (url: URL, text: string) => {
    const client = new pg.Client(url.href)
    await client.connect()
    return client.query(text).finally(() => client.end())
  }

  beforeAll(async () => {
    const folder = await makeFolder()
    const cluster = await startEmbeddedPostgres({ folder })
    onCleanUp(() => cluster.stop())
    const password = (await readFile(join(folder, 'postgres-password'), 'utf8')).trim()
    server = asUser(new URL(cluster.url), { user: 'postgres', password, database: 'postgres' })
    const script = (await read('deploy/create-owner.sql'))
      .replace(/^(?:--|\\getenv) .*$/gm, '')
      .replace(":'password'", () => pg.escapeLiteral(ODD))
      .replaceAll('countersign', 'deployed')
    for (const statement of script.split(';').filter((part) => part.trim() !== '')) {
      await query(server, statement)
    }
    owner = asUser(server, { user: 'deployed' })
  })

  const start = (script: string, url: URL, env: Environment) =>
    runScript(script, { ...production(url.href), ...env })

  const passwords = { API_LOGIN_PASSWORD: `${ODD}-api`, WORKER_LOGIN_PASSWORD: `${ODD}-worker` }

  test('are created by the owner, who is no superuser, and can be created again', async () => {
    const migrated = start('src/platform/database/migrate.ts', owner, { PGPASSWORD: ODD })
    expect(await migrated.ended, migrated.stderr()).toEqual({ code: 0, signal: null })
    for (let times = 0; times < 2; times += 1) {
      const made = start('src/cli/logins.ts', owner, { PGPASSWORD: ODD, ...passwords })
      expect(await made.ended, made.stderr()).toEqual({ code: 0, signal: null })
      expect(made.stdout()).toBe('The logins countersign_api and countersign_work are ready.\n')
    }
    const { rows } = await query(
      server,
      `select rolname as name, rolsuper or rolcreaterole or rolcreatedb or rolbypassrls as power,
         array(select g.rolname::text from pg_auth_members m join pg_roles g on g.oid = m.roleid
           where m.member = r.oid order by 1) as roles
       from pg_roles r where rolname in ('countersign_api', 'countersign_work') order by 1`,
    )
    expect(rows).toEqual([
      {
        name: 'countersign_api',
        power: false,
        roles: ['countersign_app', 'countersign_observer'],
      },
      {
        name: 'countersign_work',
        power: false,
        roles: ['countersign_observer', 'countersign_worker'],
      },
    ])
  })

  test('work for the API with a password that no URL could carry', async () => {
    const login = asUser(server, { user: 'countersign_api' })
    const api = start('src/main.ts', login, { PGPASSWORD: passwords.API_LOGIN_PASSWORD })
    const [, url = ''] = await api.says(/"url":"([^"]+)","msg":"api listening"/)
    expect((await ask('GET', `${url}/health/ready`)).status).toBe(200)
    api.kill('SIGTERM')
    expect(await api.ended).toEqual({ code: 0, signal: null })
    expect(api.stderr()).not.toContain(passwords.API_LOGIN_PASSWORD)
  })

  test('are refused when they have become administrators', async () => {
    await query(server, 'alter role countersign_api createrole')
    const refused = start('src/cli/logins.ts', owner, { PGPASSWORD: ODD, ...passwords })
    expect((await refused.ended).code).toBe(1)
    expect(refused.stderr()).toMatch(/^The login countersign_api has administrator attributes/)
    await query(server, 'alter role countersign_api nocreaterole')
  })

  test.each([
    ['a short password', { ...passwords, API_LOGIN_PASSWORD: 'short' }, /^API_LOGIN_PASSWORD must/],
    [
      'one password for both',
      { ...passwords, WORKER_LOGIN_PASSWORD: passwords.API_LOGIN_PASSWORD },
      /must differ/,
    ],
  ])('are refused with %s', async (_what, given, line) => {
    const refused = start('src/cli/logins.ts', owner, { PGPASSWORD: ODD, ...given })
    expect((await refused.ended).code).toBe(1)
    expect(refused.stderr()).toMatch(line)
    expect(refused.stderr()).not.toContain(ODD)
  })
})
