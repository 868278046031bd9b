/** The files of deploy/ha, and what processes say about a database that is set up badly. */

import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSecureContext, TLSSocket } from 'node:tls'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { parse } from 'yaml'
import { checkDatabase } from '#platform/database/check.ts'
import { type Db, databaseProblem, openDatabase } from '#platform/database/database.ts'
import { StartupError } from '#platform/errors.ts'
import { createLog } from '#platform/log.ts'
import { withValues } from '#test/high-availability/pgbouncer.ts'
import { production, productionWorker } from '#test/processes/environment.ts'
import { cleanUp, runScript } from '#test/processes/processes.ts'
import { findProgram, run } from '#test/support/debian.ts'
import { ROOT, read, variablesIn } from './deployed.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-ha-files-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))
afterAll(cleanUp)

describe('the files of deploy/ha', () => {
  const { dcs } = parse(read('deploy/ha/patroni.yml')).bootstrap

  /** A sample with its commented settings turned on. */
  const uncommented = (path: string): string =>
    read(path).replace(/^( *)# (?=(?:ssl\w*|PATRONI_\w+|ETCD_\w+)(?::|=))/gm, '$1')

  test('keep the replication slot of the backups on every primary', () => {
    const script = read('deploy/backup/receive-wal.sh')
    const slots = new Set([...script.matchAll(/--slot=(\w+)/g)].map(([, name]) => name))
    expect(Object.keys(dcs.slots)).toEqual([...slots])
    expect(Object.values(dcs.slots)).toEqual([{ type: 'physical' }])
  })

  test('listen on the address of one node, not on all', () => {
    for (const name of ['patroni', 'etcd']) {
      const variables = variablesIn(read(`deploy/ha/env/${name}.env.example`))
      const listening = Object.entries(variables).filter(([key]) => key.includes('LISTEN'))
      expect(listening).toHaveLength(2)
      for (const [, value] of listening) expect(value).toMatch(/^(?:http:\/\/)?10\.0\.0\.11:\d+$/)
    }
  })

  test('protect Patroni’s REST API, and verify the certificates of nodes', () => {
    const variables = variablesIn(read('deploy/ha/env/patroni.env.example'))
    expect(variables).toMatchObject({ PATRONI_RESTAPI_USERNAME: 'patroni' })
    for (const login of ['SUPERUSER', 'REPLICATION', 'REWIND']) {
      expect(variables).toMatchObject({
        [`PATRONI_${login}_SSLMODE`]: 'verify-ca',
        [`PATRONI_${login}_SSLROOTCERT`]: '/etc/patroni/ca.crt',
      })
    }
  })

  test('have TLS settings that are complete when they are turned on', () => {
    const { parameters } = parse(uncommented('deploy/ha/patroni.yml')).postgresql
    expect(Object.keys(parameters)).toEqual(
      expect.arrayContaining(['ssl', 'ssl_cert_file', 'ssl_key_file']),
    )
    const hba = [...read('deploy/ha/patroni.yml').matchAll(/^ +# +- (.+)$/gm)]
    expect(hba).toHaveLength(2)
    for (const [, line] of hba) expect(line).toMatch(/^hostssl .+ scram-sha-256$/)
    const etcd = variablesIn(uncommented('deploy/ha/env/etcd.env.example'))
    expect(etcd).toMatchObject({
      ETCD_CLIENT_CERT_AUTH: 'true',
      ETCD_PEER_CLIENT_CERT_AUTH: 'true',
    })
    const patroni = variablesIn(uncommented('deploy/ha/env/patroni.env.example'))
    expect(patroni).toMatchObject({ PATRONI_ETCD_PROTOCOL: 'https' })
    expect(read('deploy/ha/pgbouncer.ini')).toContain('\n; server_tls_sslmode = verify-full\n')
  })

  test('let no node take over that lacks an acknowledged commit', () => {
    expect(dcs).toMatchObject({ synchronous_mode: true, synchronous_mode_strict: true })
    expect(dcs.postgresql.parameters.synchronous_commit).toBe('on')
  })

  test('leave Patroni time for two attempts before its leadership ends', () => {
    expect(dcs.ttl).toBeGreaterThanOrEqual(dcs.loop_wait + 2 * dcs.retry_timeout)
    // The shortest that Patroni 3.1 and later accept.
    expect(dcs.ttl).toBeGreaterThanOrEqual(20)
  })

  test('contain no password', () => {
    const lines = read('deploy/ha/env/patroni.env.example').split('\n')
    const secrets = lines.filter((line) => /PASSWORD/.test(line))
    expect(secrets).toHaveLength(4)
    for (const line of secrets) expect(line).toMatch(/=$/)
    expect(read('deploy/ha/patroni.yml')).not.toMatch(/password:/)
  })

  test('are accepted by HAProxy', async () => {
    const haproxy = await findProgram('haproxy')
    const nodes = variablesIn(read('deploy/ha/env/haproxy.env.example'))
    const args = ['-c', '-f', join(ROOT, 'deploy/ha/haproxy.cfg')]
    const { stdout } = await run(haproxy.path, args, { env: { ...haproxy.env, ...nodes } })
    expect(stdout).toContain('Configuration file is valid')
  })

  test('run beside the HAProxy of the service, at ports of their own', () => {
    const portsIn = (path: string) =>
      [...read(path).matchAll(/^ +bind .*?(\d+)(?:\}?")?(?: |$)/gm)].map(([, port]) => port)
    expect(portsIn('deploy/ha/haproxy.cfg')).toEqual(['5000'])
    expect(portsIn('deploy/haproxy/haproxy.cfg')).toEqual(['80', '443', '4080'])
    const unit = read('deploy/ha/haproxy-database.service')
    const files = [...unit.matchAll(/\/etc\/haproxy\/\S+/g)].map(([path]) => path)
    const guide = read('docs/OPERATIONS.md')
    for (const path of files) expect(guide).toContain(` ${path}`)
    expect(new Set(files)).toEqual(
      new Set(['/etc/haproxy/database.env', '/etc/haproxy/database.cfg']),
    )
  })

  test('have a unit in which systemd finds nothing wrong', async () => {
    const [analyze, haproxy] = [await findProgram('systemd-analyze'), await findProgram('haproxy')]
    const path = join(folder, 'haproxy-database.service')
    const unit = read('deploy/ha/haproxy-database.service')
    // Programs must exist where the unit says.
    const program = haproxy.path === 'haproxy' ? process.execPath : haproxy.path
    await writeFile(path, unit.replaceAll('/usr/sbin/haproxy', program))
    const args = ['verify', '--man=no', path]
    const { stdout, stderr } = await run(analyze.path, args, { env: analyze.env, timeout: 60_000 })
    expect(`${stdout}${stderr}`.split('\n').filter((line) => line.includes('haproxy'))).toEqual([])
  })

  test('put PgBouncer into transaction mode, within the time limits of the service', () => {
    const text = read('deploy/ha/pgbouncer.ini')
    expect(text).toContain('\npool_mode = transaction\n')
    const seconds = Number(/^query_wait_timeout = (\d+)$/m.exec(text)?.[1])
    expect(seconds * 1_000).toBeLessThan(10_000)
    expect(withValues(text, { listen_port: 7000 })).toContain('\nlisten_port = 7000\n')
    expect(() => withValues(text, { listen_prot: 7000 })).toThrow('does not set listen_prot')
  })
})

describe('a process that starts', () => {
  const url = 'postgres://somebody:hunter2@db.example/countersign'
  type Found = {
    role: string
    isStandby: boolean
    standbys: number
    isAwaited: boolean
    milliseconds: number
  }
  const now = new Date('2026-11-19T12:00:00Z')
  const clock = { now: () => now }

  const dbWith = (found: Found): Db =>
    ({
      transaction: (_scope: object, work: (tx: object) => unknown) =>
        work({ query: async () => [found] }),
    }) as unknown as Db

  async function check(found: Partial<Found>, observer = 'countersign_observer') {
    const log = createLog({ level: 'silent' })
    const warn = vi.spyOn(log, 'warn')
    const own = {
      role: 'countersign_app',
      isStandby: false,
      standbys: 0,
      isAwaited: false,
      milliseconds: now.getTime(),
      ...found,
    }
    const config = { databaseUrl: url, isPooled: false }
    const [db, observerDb] = [dbWith(own), dbWith({ ...own, role: observer })]
    await checkDatabase({ db, observerDb, log, clock, config })
    return warn.mock.calls.map(([line]) => String(line))
  }

  test('warns if no commit waits for a standby', async () => {
    expect(await check({ standbys: 2 })).toEqual([
      'The database has standbys, but commits do not wait for one: a failover can lose ' +
        'acknowledged changes. Set synchronous_standby_names (in Patroni: synchronous_mode).',
    ])
  })

  test('says nothing with a synchronous standby, or with none at all', async () => {
    expect(await check({ standbys: 2, isAwaited: true })).toEqual([])
    expect(await check({ standbys: 0 })).toEqual([])
  })

  test.each([
    ['ahead of', 62_000],
    ['behind', -62_000],
  ])('warns if the database’s clock is %s its own', async (where, by) => {
    expect(await check({ milliseconds: now.getTime() + by })).toEqual([
      `The database's clock is 62 s ${where} the clock here. ` +
        'Synchronise them: some deadlines use one clock, some the other.',
    ])
    expect(await check({ milliseconds: now.getTime() + by / 62 })).toEqual([])
  })

  test('refuses a standby, to which a pooler leads', async () => {
    await expect(check({ isStandby: true })).rejects.toThrow(
      'The database at db.example is a standby and cannot be written to. ' +
        'Point DATABASE_URL, and DATABASE_DIRECT_URL if it is set, to the primary.',
    )
  })

  test.each([
    ['its own', { role: 'countersign_api' }, 'countersign_observer'],
    ['the observer’s', {}, 'countersign_api'],
  ])('refuses a connection without %s role', async (_whose, found, observer) => {
    const refused = check(found, observer)
    await expect(refused).rejects.toBeInstanceOf(StartupError)
    await expect(refused).rejects.toThrow(
      'DATABASE_URL leads to a pooler that ignores the settings of connections. ' +
        'Set DATABASE_DIRECT_URL to the database itself.',
    )
  })
})

describe('an expired certificate of the database server', () => {
  let server: Server
  let url: string

  /** Self-signed, for two days of the past; `openssl req` knows no past. */
  async function makeExpired(): Promise<{ certificate: string; key: string }> {
    const [key, request, certificate] = ['key', 'request', 'crt'].map((name) => join(folder, name))
    const config = join(folder, 'ca.cnf')
    await mkdir(join(folder, 'new'), { recursive: true })
    await writeFile(join(folder, 'index'), '')
    await writeFile(
      config,
      [
        '[ca]\ndefault_ca = own',
        `[own]\ndatabase = ${join(folder, 'index')}\nnew_certs_dir = ${join(folder, 'new')}`,
        'default_md = sha256\npolicy = any\nx509_extensions = names\nrand_serial = yes',
        '[any]\ncommonName = supplied',
        '[names]\nsubjectAltName = IP:127.0.0.1\nbasicConstraints = CA:true',
        '[req]\ndistinguished_name = none\n[none]\n',
      ].join('\n'),
    )
    await run('openssl', [
      ...['req', '-new', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
      ...['-subj', '/CN=127.0.0.1', '-keyout', key ?? '', '-out', request ?? '', '-config', config],
    ])
    await run('openssl', [
      ...['ca', '-batch', '-selfsign', '-config', config, '-in', request ?? '', '-notext'],
      ...['-keyfile', key ?? '', '-out', certificate ?? ''],
      ...['-startdate', '20200101000000Z', '-enddate', '20200103000000Z'],
    ])
    return { certificate: certificate ?? '', key: key ?? '' }
  }

  beforeAll(async () => {
    const { certificate, key } = await makeExpired()
    const context = createSecureContext({
      cert: await readFile(certificate),
      key: await readFile(key),
    })
    // As PostgreSQL does: the client asks for TLS, the server agrees, and TLS begins.
    server = createServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', () => {
        socket.write('S')
        const secure = new TLSSocket(socket, { isServer: true, secureContext: context })
        secure.on('error', () => {})
      })
    })
    server.listen({ host: '127.0.0.1', port: 0 })
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const options = `sslmode=verify-full&sslrootcert=${encodeURIComponent(certificate)}`
    url = `postgres://somebody:hunter2@127.0.0.1:${port}/countersign?${options}`
  })
  afterAll(() => void server?.close())

  const line = () =>
    `The database ${new URL(url).host}/countersign cannot be used: certificate has expired. ` +
    'Renew the certificate of the database server.'

  test('is an outage for a running process, and one line for one that starts', async () => {
    const db = openDatabase({ url, poolSize: 2 })
    const failure = await db.query(sql`select 1`).catch((error) => error)
    await db.close()
    expect(failure).toMatchObject({ code: 'dependency_unavailable', retryAfterSeconds: 1 })
    expect(databaseProblem(failure.cause, url).message).toBe(line())
  })

  test.each([
    ['an API process', 'src/main.ts', production],
    ['a worker', 'src/worker.ts', productionWorker],
  ] as const)('%s exits with that line', async (_what, script, environment) => {
    const running = runScript(script, { ...environment(url), DATABASE_URL: url })
    expect(await running.ended).toEqual({ code: 1, signal: null })
    expect(running.stderr()).toBe(`${line()}\n`)
  })
})
