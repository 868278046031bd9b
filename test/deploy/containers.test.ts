/**
 * The Dockerfile and compose.yaml, read as Docker would: Docker itself is not needed. What they
 * copy and run exists, every process gets a configuration that it accepts, and the ports agree.
 * `test/processes/deployment.test.ts` tests pins, logins and connections.
 */
import { existsSync } from 'node:fs'
import { join, matchesGlob } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { readConfig } from '#platform/config/config.ts'
import { readWebConfig } from '#platform/config/web.ts'
import { fillIn, ROOT, read, sourceOf, unknownIn, type Variables, variablesIn } from './deployed.ts'

type Compose = {
  services: Record<
    string,
    {
      build?: { context: string; target?: string; args?: Variables }
      command?: string[]
      environment?: Variables
      env_file?: string[]
      healthcheck?: { test?: string[]; disable?: boolean }
      network_mode?: string
      ports?: string[]
      volumes?: string[]
      read_only?: boolean
      cap_drop?: string[]
      security_opt?: string[]
      depends_on?: Record<string, unknown>
    }
  >
}

const dockerfile = read('Dockerfile').replace(/\\\n\s*/g, '')
const { services }: Compose = parse(read('compose.yaml'), { merge: true })
const haproxy = read('deploy/haproxy/haproxy.cfg')

const serviceOf = (name: string) => {
  const service = services[name]
  if (!service) throw new Error(`No service ${name}`)
  return service
}

/** `ENV` of the image that compose runs. */
const ofImage: Variables = Object.fromEntries(
  [...dockerfile.matchAll(/^ENV (.+)$/gm)].flatMap(([, line = '']) =>
    line.split(' ').map((assignment) => assignment.split('=') as [string, string]),
  ),
)

const example = (name: string) => variablesIn(read(`${name}.example`))

/** Everything that the process finds in its environment. */
function environmentOf(name: string): Variables {
  const { environment = {}, env_file: files = [] } = serviceOf(name)
  const fromFiles = Object.assign({}, ...files.map(example))
  return fillIn({ ...ofImage, ...fromFiles, ...environment })
}

const COMMAND: string[] = JSON.parse(/^CMD (\["node".+)$/m.exec(dockerfile)?.[1] ?? '[]')
const OWN = Object.keys(services).filter((name) => name !== 'postgres')
const OF_NODE = OWN.filter((name) => name !== 'proxy')

describe('the Dockerfile', () => {
  const copies = [...dockerfile.matchAll(/^COPY (?!--from)(.+)$/gm)].map(([, line = '']) => line)
  const sources = copies.flatMap((line) => line.split(' ').slice(0, -1))

  test('copies only what exists and what .dockerignore lets through', () => {
    expect(sources.length).toBeGreaterThan(8)
    expect(sources.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
    expect(sources.filter((path) => isIgnored(path))).toEqual([])
  })

  test.each(['deploy.env', '.env', 'deploy/certificates/app.pem', '.git', 'src/dev/start.ts'])(
    'cannot copy %s',
    (path) => expect(isIgnored(path)).toBe(true),
  )

  test('has everything that the pages are built from', () => {
    // As `src/dev/build-pages.ts` lists it, for the stamp of a build.
    const [, stage = ''] = /AS pages\n([\s\S]*?)\nFROM/.exec(dockerfile) ?? []
    for (const path of ['apps', 'packages', 'tools', 'lingui.config.ts', 'package-lock.json']) {
      expect(stage).toContain(path)
    }
  })

  test('bundles the processes where they will run', () => {
    const [, stage = ''] = /AS programs\n([\s\S]*?)\nFROM/.exec(dockerfile) ?? []
    expect(stage).toContain('WORKDIR /service\n')
    expect(stage).toContain('tools/service/build.ts')
    expect(dockerfile).toContain('COPY --from=programs /service/dist dist\n')
  })

  test('puts the pages where a gateway looks for them', () => {
    for (const realm of ['consumer', 'admin']) {
      expect(dockerfile).toContain(`COPY --from=pages /pages/${realm} apps/${realm}/dist\n`)
    }
  })

  test('keeps the version that it was built with', () => {
    // In the last stage: an argument of another one has no value there.
    const last = dockerfile.split(/^FROM /m).at(-1)
    expect(last).toMatch(/^ARG SERVICE_VERSION\nENV SERVICE_VERSION=\$\{SERVICE_VERSION\}$/m)
    expect(OF_NODE.length).toBe(6)
    for (const name of OF_NODE) {
      const { SERVICE_VERSION = '' } = serviceOf(name).build?.args ?? {}
      expect(SERVICE_VERSION).toMatch(/^\$\{SERVICE_VERSION:\?/)
    }
  })

  test('names only stages that exist', () => {
    const stages = [...dockerfile.matchAll(/ AS (\w+)$/gm)].map(([, stage]) => stage)
    const used = [...dockerfile.matchAll(/--from=(\w+)|target: (\w+)/g)].map(([, stage]) => stage)
    expect(used.filter((stage) => !stages.includes(stage))).toEqual([])
    expect(read('compose.yaml')).toContain('target: proxy')
    expect(stages).toContain('proxy')
  })
})

/** Docker's `*` matches names with a dot in front, too. */
const undotted = (path: string): string => path.replace(/(^|\/)\./g, '$1_')

/** Rules of .dockerignore, in order: the last that matches the path or a folder of it decides. */
function isIgnored(path: string): boolean {
  const parts = path.split('/')
  const folders = parts.map((_part, at) => parts.slice(0, at + 1).join('/'))
  let isOut = false
  for (const rule of read('.dockerignore').trim().split('\n')) {
    const pattern = rule.replace(/^!/, '')
    const isMeant = folders.some((folder) => matchesGlob(undotted(folder), undotted(pattern)))
    if (isMeant) isOut = !rule.startsWith('!')
  }
  return isOut
}

describe('compose.yaml', () => {
  test.each(OF_NODE)('runs a script that exists for %s', (name) => {
    const { command = COMMAND } = serviceOf(name)
    expect(existsSync(sourceOf(command.at(-1) ?? ''))).toBe(true)
  })

  test.each(OF_NODE)('gives %s only variables that the service reads', (name) => {
    expect(unknownIn(environmentOf(name))).toEqual([])
  })

  test('gives the API and workers a configuration that they accept in production', () => {
    const api = readConfig(environmentOf('api'), { process: 'api' })
    const worker = readConfig(environmentOf('worker'), { process: 'worker' })
    expect([api.production, worker.production]).toEqual([true, true])
    expect([api.warnings, worker.warnings]).toEqual([[], []])
    expect(api.trustedProxies).toBe(1)
    expect(api.host).toBe('0.0.0.0')
  })

  test('gives each gateway a configuration that it accepts, and its own realm', () => {
    const [web, admin] = ['web', 'admin-web'].map((name) => readWebConfig(environmentOf(name)))
    expect(web).toMatchObject({ production: true, realm: 'consumer', host: '127.0.0.1' })
    expect(admin).toMatchObject({ production: true, realm: 'admin', host: '127.0.0.1' })
    expect([web?.origin, admin?.origin]).toEqual(['https://app.example', 'https://admin.example'])
    expect([web?.trustedProxies, admin?.trustedProxies]).toEqual([1, 1])
  })

  test("keeps each application's client and secret from the other", () => {
    expect(Object.keys(environmentOf('web')).filter((name) => /^ADMIN/.test(name))).toEqual([])
    const ofConsumer = Object.keys(environmentOf('admin-web'))
    expect(ofConsumer.filter((name) => /^CONSUMER/.test(name))).toEqual([])
  })

  test('leads from the proxy to the gateways, and from them to the API', () => {
    const port = (section: string) =>
      new RegExp(`^${section}\n(?: .*\n)*? +(?:server \\S+|bind) 127\\.0\\.0\\.1:(\\d+)`, 'm').exec(
        haproxy,
      )?.[1]
    const web = readWebConfig(environmentOf('web'))
    const admin = readWebConfig(environmentOf('admin-web'))
    expect(port('backend consumer')).toBe(String(web.port))
    expect(port('backend admin')).toBe(String(admin.port))
    for (const { apiUrl } of [web, admin]) {
      expect(new URL(apiUrl).port).toBe(port('frontend gateways'))
    }
    const { API_DNS, HTTPS_PORT, HTTP_PORT } = serviceOf('proxy').environment ?? {}
    const api = readConfig(environmentOf('api'), { process: 'api' })
    expect(API_DNS).toBe(`api:${api.port}`)
    expect(serviceOf('proxy').ports).toEqual([`443:${HTTPS_PORT}`, `80:${HTTP_PORT}`])
    for (const name of ['web', 'admin-web']) {
      expect(serviceOf(name).network_mode).toBe('service:proxy')
    }
  })

  test('gives processes of one network their own ports', () => {
    const ports = ['web', 'admin-web'].map((name) => readWebConfig(environmentOf(name)))
    const all = ports.flatMap(({ port, metricsPort }) => [port, metricsPort])
    expect(new Set([...all, 4080, 8443, 8080]).size).toBe(7)
  })

  test('sets every variable that the proxy reads', () => {
    const used = [...haproxy.matchAll(/\$\{(\w+)/g)].map(([, name = '']) => name)
    const { environment = {} } = serviceOf('proxy')
    expect(new Set(used)).toEqual(new Set(Object.keys(environment)))
  })

  test('checks the health of each process at its own port', () => {
    const addressOf = (name: string) =>
      /http:\S+?(?=')/.exec(serviceOf(name).healthcheck?.test?.join(' ') ?? '')?.[0]
    const [, ofApi] = /HEALTHCHECK [^\n]*?(http:\S+?)'/.exec(dockerfile) ?? []
    expect(ofApi).toBe(`http://127.0.0.1:${ofImage.PORT}/health/ready`)
    expect(addressOf('web')).toBe('http://127.0.0.1:4100/health/ready')
    expect(addressOf('admin-web')).toBe('http://127.0.0.1:4200/health/ready')
    expect(addressOf('worker')).toBe(`http://127.0.0.1:${ofImage.METRICS_PORT}/metrics`)
  })

  test('takes from every process what it does not need', () => {
    for (const name of OWN) {
      expect(serviceOf(name)).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      })
    }
    const published = Object.keys(services).filter((name) => serviceOf(name).ports)
    expect(published).toEqual(['proxy'])
  })

  test('requires nothing in .env that docs/OPERATIONS.md does not name', () => {
    const required = new Set([...read('compose.yaml').matchAll(/\$\{(\w+):\?/g)].map(([, n]) => n))
    const [, text = ''] = read('docs/OPERATIONS.md').split(/^## Deployment$/m)
    const [section = ''] = text.split(/^## /m)
    const passwords = [...required].filter((name) => name?.endsWith('_PASSWORD'))
    for (const name of passwords) expect(section).toContain(name?.replace('_PASSWORD', ''))
    const hosts = [...required].filter((name) => name?.endsWith('_HOST'))
    for (const name of hosts) expect(section).toContain(name)
    expect(section).toContain('SERVICE_VERSION')
    expect([...passwords, ...hosts, 'SERVICE_VERSION'].length).toBe(required.size)
  })

  test('has the services and the volume of the commands in docs/OPERATIONS.md', () => {
    const text = read('docs/OPERATIONS.md')
    const used = [...text.matchAll(/docker compose exec (?:-\S+ (?:\w+=\w+ )?)*(\w+)/g)]
    expect(used.length).toBeGreaterThan(4)
    for (const [, name = ''] of used) expect(services).toHaveProperty(name)
    const { name, volumes } = parse(read('compose.yaml'))
    for (const [, volume = ''] of text.matchAll(/docker volume rm (\w+)/g)) {
      expect(Object.keys(volumes).map((one) => `${name}_${one}`)).toContain(volume)
    }
  })
})
