/** Compares the tables of the documents with the code, in both directions. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { permissions } from '#access/permissions.ts'
import { parts } from '#bench/parts.ts'
import { plotOf } from '#bench/plot.ts'
import { reportOf } from '#bench/report.ts'
import { readResults } from '#bench/results.ts'
import { sizingOf } from '#bench/sizing.ts'
import { renderOpenApi } from '#cli/openapi.ts'
import { blockCodes } from '#platform/block-codes.ts'
import { readConfig, readDevConfig } from '#platform/config/config.ts'
import { readWebConfig } from '#platform/config/web.ts'
import { errorCodes, errorStatus } from '#platform/errors.ts'
import type { Machine } from '#platform/machine.ts'
import { TRANSPORT_POLICY } from '#platform/transport-policy.ts'
import { readSource, readSources } from '#test/tidy/source.ts'

const ROOT = join(import.meta.dirname, '..')
const textOf = (path: string) => readSource(path).text

/** The rows of all tables in a piece of Markdown, without header and separator rows. */
const rowsOf = (markdown: string): string[][] =>
  markdown
    .split(/\n(?!\|)/)
    .filter((block) => /^\n?\|/.test(block))
    .flatMap((table) => table.trim().split('\n').slice(2))
    .map((row) =>
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )

const codesIn = (text: string): string[] =>
  [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)

describe('docs/ERRORS.md', () => {
  const rows = rowsOf(textOf('docs/ERRORS.md'))

  test('lists exactly the codes of src/platform/errors.ts, with their statuses', () => {
    const listed = rows.map(([code = '', status]) => `${codesIn(code)} ${status}`)
    expect(listed).toEqual(errorCodes.map((code) => `${code} ${errorStatus(code)}`))
  })

  test('gives each code a meaning and a remedy', () => {
    const silent = rows.filter((row) => row.length !== 4 || row.some((cell) => cell === ''))
    expect(silent).toEqual([])
  })
})

test('docs/PAYMENTS.md shows the table of src/platform/block-codes.ts', () => {
  const section = textOf('docs/PAYMENTS.md').split('## Codes of a blocked or failed payment')[1]
  const [codes = ''] = section?.split(/^## /m) ?? []
  const rows = Object.entries(blockCodes).map(([code, { meaning, remedy }]) => [
    `\`${code}\``,
    meaning,
    remedy,
  ])
  expect(rowsOf(codes)).toEqual(rows)
})

test('docs/LIVE.md names the intervals of src/platform/transport-policy.ts', () => {
  const text = textOf('docs/LIVE.md').replaceAll('\n', ' ')
  const { keepaliveSeconds, staleAfterSeconds, snapshotPollSeconds } = TRANSPORT_POLICY
  expect(text).toContain(`A keep-alive comment is sent every ${keepaliveSeconds} s`)
  expect(text).toContain(`reads nothing for ${staleAfterSeconds} s`)
  expect(text).toContain(`\`X-Poll-Interval\` is ${snapshotPollSeconds} seconds`)
})

describe('docs/BENCHMARKS.md', () => {
  test('and its plot match the figures in bench/results', async () => {
    const results = await readResults()
    expect(results.map(({ id }) => id)).toEqual(Object.keys(parts))
    expect(textOf('docs/BENCHMARKS.md')).toBe(reportOf(results))
    expect(textOf('docs/benchmarks.svg')).toBe(plotOf(results))
    expect(textOf('docs/SIZING.md')).toBe(sizingOf(results))
  })
})

type AnyMachine = Machine<string, string>

const isMachine = (value: unknown): value is AnyMachine =>
  typeof value === 'object' && value !== null && 'name' in value && 'moves' in value

async function loadMachines(): Promise<AnyMachine[]> {
  const paths = readSources('src', ['.machine.ts']).map(({ path }) => path)
  const modules = await Promise.all(paths.map((path) => import(join(ROOT, path))))
  return modules.flatMap((module) => Object.values(module).filter(isMachine))
}

const movesOf = ({ moves }: AnyMachine): string[] =>
  Object.entries(moves).flatMap(([from, events]) =>
    Object.entries(events).map(([event, to]) => `${from} ${event} ${to}`),
  )

const finalOf = ({ moves }: AnyMachine): string[] =>
  Object.keys(moves).filter((state) => Object.keys(moves[state] ?? {}).length === 0)

const RECONCILIATION = 'funding action reconciliation'

/** The chain intent machine serves two tables, and funding_actions has two machines. */
function tablesOf({ name }: AnyMachine): string[] {
  if (name === 'chain intent') return ['vault_deployments', 'policy_intents']
  const plural = `${name.replaceAll(' ', '_').replace(/y$/, 'ie')}s`
  return [name === RECONCILIATION ? 'funding_actions' : plural]
}

const columnOf = ({ name }: AnyMachine): string =>
  name === RECONCILIATION ? 'reconciliation_state' : '(?:state|status)'

const titleOf = ({ name }: AnyMachine): string => name.charAt(0).toUpperCase() + name.slice(1)

describe('docs/STATES.md', () => {
  const sections = new Map(
    textOf('docs/STATES.md')
      .split(/^## /m)
      .slice(1)
      .map((section) => [section.slice(0, section.indexOf('\n')), section]),
  )
  let machines: AnyMachine[]
  beforeAll(async () => {
    machines = await loadMachines()
  })

  test('has exactly one section per machine in the code', () => {
    expect(machines.length).toBeGreaterThan(0)
    expect([...sections.keys()].sort()).toEqual(machines.map(titleOf).sort())
  })

  test('lists exactly the transitions of every machine', () => {
    for (const machine of machines) {
      const rows = rowsOf(sections.get(titleOf(machine)) ?? '')
      const listed = rows.map((row) => row.slice(0, 3).flatMap(codesIn).join(' '))
      expect(listed.sort(), machine.name).toEqual(movesOf(machine).sort())
      expect(rows.filter((row) => row.length !== 4 || !row[3])).toEqual([])
    }
  })

  test('names the initial and the final states of every machine', () => {
    for (const machine of machines) {
      const section = sections.get(titleOf(machine)) ?? ''
      const [begins = ''] = codesIn(
        /Begins as[^,.:]*/.exec(section.replaceAll('\n', ' '))?.[0] ?? '',
      )
      expect(Object.keys(machine.moves), machine.name).toContain(begins)
      const final = codesIn(/^Final: [^.]*/m.exec(section)?.[0] ?? '')
      expect(final, machine.name).toEqual(finalOf(machine))
    }
  })

  test('each state column allows exactly the states of its machine', () => {
    const migrations = readSources('migrations', ['.sql'])
      .map(({ text }) => text)
      .join('\n')
    const pairs = machines.flatMap((machine) =>
      tablesOf(machine).map((table) => [table, machine] as const),
    )
    for (const [table, machine] of pairs) {
      const created = new RegExp(`create table ${table} \\(([\\s\\S]*?)\\n\\);`).exec(
        migrations,
      )?.[1]
      // A later migration may replace the constraint.
      const altered = [...migrations.matchAll(new RegExp(`alter table ${table}\\n([^;]*);`, 'g'))]
      const listed = new RegExp(`check \\(\\s*${columnOf(machine)} in \\(([^)]*)\\)\\)`)
      const texts = [created ?? '', ...altered.map(([, text = '']) => text)]
      const check = texts.map((text) => listed.exec(text)?.[1]).findLast(Boolean) ?? ''
      const states = [...check.matchAll(/'(\w+)'/g)].map(([, state = '']) => state)
      expect(states.sort(), table).toEqual(Object.keys(machine.moves).sort())
    }
  })
})

describe('README.md', () => {
  test('lists exactly the environment variables that the code reads', () => {
    const read = new Set<string>()
    const realm = (name: string) => ({
      [`${name}_ISSUER`]: name,
      [`${name}_AUDIENCE`]: name,
      [`${name}_JWKS_URL`]: 'https://id.example/jwks.json',
    })
    const values: Record<string, string> = {
      DATABASE_URL: 'postgres://db.example/x',
      SERVER_SECRET: 'x'.repeat(32),
      ...realm('CONSUMER'),
      ...realm('ADMIN'),
      RPC_URLS: 'https://node.example',
      TOKEN_ADDRESS: `0x${'ab'.repeat(20)}`,
      CHAIN_ID: '84532',
      CIRCLE_API_KEY: 'a:b:c',
      CIRCLE_ENTITY_SECRET: 'ab'.repeat(32),
      COMMAND_LINE_PROGRAM: '/bin/circle',
      COMMAND_LINE_WALLETS: `0198c0de-0000-7000-8000-000000000001=0x${'ab'.repeat(20)}`,
      HOME: '/home',
      WEB_SECRET: 'x'.repeat(32),
      CONSUMER_CLIENT_ID: 'web',
      CONSUMER_DISCOVERY_URL: 'https://id.example/consumer',
      ADMIN_CLIENT_ID: 'console',
      ADMIN_DISCOVERY_URL: 'https://id.example/admin',
    }
    const env = new Proxy(values, {
      get: (target, name: string) => {
        read.add(name)
        return target[name]
      },
    })
    for (const provider of ['local', 'circle', 'command_line']) {
      values.EXECUTOR_PROVIDER = provider
      readConfig(env)
    }
    readDevConfig(env)
    for (const name of ['consumer', 'admin']) readWebConfig(Object.assign(env, { WEB_REALM: name }))
    const section = textOf('README.md')
      .split(/^## /m)
      .find((part) => /^Configuration\n/.test(part))
    const listed = rowsOf(section ?? '').flatMap(([names = '']) => codesIn(names))
    // The production section covers NODE_ENV; HOME and PATH are set everywhere.
    expect(textOf('README.md')).toContain('`NODE_ENV=production`')
    expect([...listed, 'NODE_ENV', 'HOME', 'PATH'].sort()).toEqual([...read].sort())
  })
})

type Operation = { operationId?: string; security?: object[] }
type Document = { paths: Record<string, Record<string, Operation>> }

const document: Document = JSON.parse(textOf('openapi.json'))

/** Pages, not operations: the OpenAPI document and the API reference. */
const pages = ['GET /openapi.json', 'GET /docs/', 'GET /docs/js/scalar.js']

/** The document writes no slash at the end of a path. */
const routes = Object.keys(permissions).filter((route) => !pages.includes(route))
const routeOf = (name: string): string =>
  routes.find((route) => route.replace(/\/$/, '') === name) ?? name

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    route: routeOf(`${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
    operation,
  })),
)

describe('openapi.json', () => {
  test('matches the routes (otherwise run npm run openapi)', async () => {
    expect(textOf('openapi.json') === (await renderOpenApi()), 'run npm run openapi').toBe(true)
  })

  test('has exactly the routes of the permissions table', () => {
    expect(operations.map(({ route }) => route).sort()).toEqual(routes.sort())
    expect(Object.keys(permissions)).toEqual(expect.arrayContaining(pages))
  })

  test('requires a token of the realm in the permissions table', () => {
    const schemes = { public: [], consumer: [{ consumerToken: [] }], admin: [{ adminToken: [] }] }
    for (const { route, operation } of operations) {
      const realm = permissions[route]?.realm ?? 'public'
      expect(operation.security, route).toEqual(schemes[realm])
    }
  })

  test('gives every operation a unique operationId', () => {
    const ids = operations.map(({ operation }) => operation.operationId)
    expect(ids).not.toContain(undefined)
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('passes redocly lint without errors or warnings', async () => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['node_modules/@redocly/cli/bin/cli.js', 'lint', 'openapi.json', '--format=json'],
      {
        cwd: ROOT,
        env: {
          ...process.env,
          REDOCLY_TELEMETRY: 'off',
          REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
        },
      },
    ).catch((error: { stdout: string; stderr: string }) => {
      throw new Error(`${error.stdout}${error.stderr}`)
    })
    const { totals, problems } = JSON.parse(stdout)
    expect(problems.map(({ message }: { message: string }) => message)).toEqual([])
    expect(totals.errors).toBe(0)
  })
})

describe('docs/SECURITY.md', () => {
  test('refers only to tests that exist', () => {
    const named = codesIn(textOf('docs/SECURITY.md')).filter((code) => code.endsWith('.test.ts'))
    const existing = ['src', 'test', 'apps', 'packages']
      .flatMap((folder) => readSources(folder, ['.test.ts']))
      .map(({ path }) => path)
    expect(named.length).toBeGreaterThan(20)
    const exists = (name: string) => existing.some((path) => path.endsWith(`/${name}`))
    expect(named.filter((name) => !exists(name))).toEqual([])
  })
})
