/**
 * The units of deploy/systemd: each process gets a configuration that it accepts, and systemd
 * itself finds nothing wrong and rates what they may do.
 */
import { existsSync, readdirSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '#platform/config/config.ts'
import { readWebConfig } from '#platform/config/web.ts'
import { findProgram, type Program, run } from '#test/support/debian.ts'
import { fillIn, ROOT, read, sourceOf, unknownIn, type Variables, variablesIn } from './deployed.ts'

const FOLDER = 'deploy/systemd'
const files = readdirSync(join(ROOT, FOLDER)).filter((name) => name.endsWith('.service'))

/** An instance of each unit, as docs/OPERATIONS.md starts it. */
const INSTANCES: Record<string, string> = {
  'countersign-admin-web@.service': '4200',
  'countersign-api@.service': '4000',
  'countersign-migrate.service': '',
  'countersign-web@.service': '4100',
  'countersign-worker@.service': '1',
}

/** The values of a setting, in order; one that is set twice is a list. */
const settings = (unit: string, name: string): string[] =>
  [...read(`${FOLDER}/${unit}`).matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(
    ([, value = '']) => value.replaceAll('%i', INSTANCES[unit] ?? ''),
  )

const exampleOf = (path: string): string => {
  const name = path.replace('/etc/countersign/', '')
  return name === 'service.env' ? 'deploy.env.example' : `${FOLDER}/env/${name}.example`
}

/** systemd lets files override `Environment`. */
function environmentOf(unit: string): Variables {
  const assigned = settings(unit, 'Environment').flatMap((line) =>
    line.split(' ').map((assignment) => assignment.split('=') as [string, string]),
  )
  const fromFiles = settings(unit, 'EnvironmentFile').map((path) =>
    variablesIn(read(exampleOf(path))),
  )
  return fillIn(Object.assign(Object.fromEntries(assigned), ...fromFiles))
}

test('there is a unit for every process', () => {
  expect(files.sort()).toEqual(Object.keys(INSTANCES).sort())
})

describe.each(Object.keys(INSTANCES))('%s', (unit) => {
  test('runs scripts that exist', () => {
    const commands = settings(unit, 'ExecStart')
    expect(commands).not.toEqual([])
    for (const command of commands) {
      expect(command).toMatch(/^\/usr\/bin\/node --import \.\/require-node\.mjs (?:src|dist)\/\S+$/)
      expect(existsSync(sourceOf(command.split(' ').at(-1) ?? ''))).toBe(true)
    }
  })

  test('sets only variables that the service reads', () => {
    expect(unknownIn(environmentOf(unit))).toEqual([])
  })

  test('has time to stop', () => {
    if (unit === 'countersign-migrate.service') return
    expect(settings(unit, 'TimeoutStopSec')).toEqual(['25'])
    expect(settings(unit, 'KillMode')).toEqual(['mixed'])
  })
})

describe('the processes', () => {
  test('accept their configuration', () => {
    const api = readConfig(environmentOf('countersign-api@.service'), { process: 'api' })
    const worker = readConfig(environmentOf('countersign-worker@.service'), { process: 'worker' })
    const web = readWebConfig(environmentOf('countersign-web@.service'))
    const admin = readWebConfig(environmentOf('countersign-admin-web@.service'))
    expect(api).toMatchObject({ production: true, host: '127.0.0.1', port: 4000 })
    expect(web).toMatchObject({ production: true, realm: 'consumer', port: 4100 })
    expect(admin).toMatchObject({ production: true, realm: 'admin', port: 4200 })
    const metrics = [api, worker, web, admin].map(({ metricsPort }) => metricsPort)
    expect(metrics).toEqual([14_000, 15_001, 14_100, 14_200])
    for (const { trustedProxies } of [api, web, admin]) expect(trustedProxies).toBe(1)
  })

  test('report one version, set in one file', () => {
    const env = ['api', 'worker', 'web', 'admin-web'].map((name) => {
      expect(settings(`countersign-${name}@.service`, 'EnvironmentFile')).toContain(
        '/etc/countersign/version.env',
      )
      return environmentOf(`countersign-${name}@.service`)
    })
    const [api = {}, worker = {}, ...gateways] = env
    const versions = [
      readConfig(api, { process: 'api' }).version,
      readConfig(worker, { process: 'worker' }).version,
      ...gateways.map((gateway) => readWebConfig(gateway).version),
    ]
    expect(versions).toEqual(Array(4).fill('1.2.3'))
  })

  test('use the ports that the proxies send to', () => {
    for (const path of ['deploy/haproxy/haproxy.cfg', 'deploy/nginx/countersign.conf']) {
      const ports = [...read(path).matchAll(/^ +server (?:\w+ )?127\.0\.0\.1:(\d+)/gm)]
      expect(ports.map(([, port]) => port)).toEqual(['4100', '4200', '4000', '4001'])
      expect(read(path)).toMatch(/^ +(?:bind|listen) 127\.0\.0\.1:4080/m)
    }
    const { apiUrl } = readWebConfig(environmentOf('countersign-web@.service'))
    expect(apiUrl).toBe('http://127.0.0.1:4080')
  })

  test('leave every secret to the operator', () => {
    for (const name of readdirSync(join(ROOT, FOLDER, 'env'))) {
      expect(read(`${FOLDER}/env/${name}`)).not.toMatch(/(?:SECRET|PASSWORD)=./)
    }
  })
})

describe('systemd', () => {
  let folder: string
  let program: Program

  /** With a program and a folder that exist here, which `verify` checks. */
  beforeAll(async () => {
    program = await findProgram('systemd-analyze')
    folder = await mkdtemp(join(tmpdir(), 'countersign-units-'))
    for (const name of [...files, 'countersign.target']) {
      const text = read(`${FOLDER}/${name}`)
        .replaceAll('/usr/bin/node', process.execPath)
        .replaceAll('/opt/countersign', ROOT)
      await writeFile(join(folder, name), text)
    }
  }, 600_000)
  afterAll(() => rm(folder, { recursive: true, force: true }))

  const analyze = (args: string[]) =>
    run(program.path, args, { env: program.env, cwd: folder, timeout: 60_000 })

  test('finds nothing wrong', async () => {
    const units = files.map((name) => name.replace('@', `@${INSTANCES[name]}`))
    const paths = units.map((name) => join(folder, name))
    const { stdout, stderr } = await analyze(['verify', '--man=no', ...paths])
    const ofOurs = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('countersign'))
    expect(ofOurs).toEqual([])
  })

  test('rates every unit as little exposed', async () => {
    for (const name of files) {
      // Of ten, in tenths. A unit without settings has 9.6.
      const { stdout } = await analyze(['security', '--offline=true', '--threshold=15', name])
      expect(stdout).toMatch(/Overall exposure level for countersign\S+ 1\.\d OK/)
    }
  })
})
