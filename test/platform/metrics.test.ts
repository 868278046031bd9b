/** What a scrape contains, and that OPERATIONS.md and deploy/metrics.json say the same. */
import { readFileSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import { registerFollowerMetrics } from '#chain/follow.ts'
import { closeContext, compose } from '#compose.ts'
import { METRICS_PREFIX } from '#platform/metrics.ts'
import { testConfig } from '#test/support/app.ts'

/** Nothing answers there: metrics must be described without a database. */
const config = testConfig({ databaseUrl: 'postgres://127.0.0.1:1/none', devPort: 1 })
const ctx = compose(config)
registerFollowerMetrics(ctx, () => 0)
afterAll(() => closeContext(ctx))

type Described = { name: string; type: string; help: string; labels: string[] }

/** The library's types leave out the names of labels. */
type Registered = { name: string; help: string; labelNames: string[]; get(): Promise<unknown> }

async function describeMetrics(): Promise<Described[]> {
  const found = ctx.metrics.registry.getMetricsAsArray() as unknown as Registered[]
  const described = await Promise.all(
    found.map(async (metric) => {
      const { type } = (await metric.get()) as { type: string }
      return { name: metric.name, type, help: metric.help, labels: metric.labelNames }
    }),
  )
  return described.sort((a, b) => (a.name < b.name ? -1 : 1))
}

const section = /## Health and metrics\n([\s\S]*?)\n###/.exec(
  readFileSync('docs/OPERATIONS.md', 'utf8'),
)?.[1]

/** The rows of the table: name, type and labels. */
const rows = [...(section ?? '').matchAll(/^\| `([\w*]+)` \| (\w+) \|([^|]*)\|/gm)].map(
  ([, name = '', type = '', labels = '']) => ({
    name,
    type,
    labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label]) => label),
  }),
)

const isOfNode = (name: string) => /^countersign_(?:process|nodejs)_/.test(name)

// Some metrics of the process exist on Linux only.
describe.runIf(process.platform === 'linux')('metrics', () => {
  test('all have the prefix', async () => {
    const names = (await describeMetrics()).map(({ name }) => name)
    expect(names.filter((name) => !name.startsWith(METRICS_PREFIX))).toEqual([])
  })

  test('are listed in deploy/metrics.json, for alert rules and dashboards', async () => {
    const text = `${JSON.stringify(await describeMetrics(), null, 2)}\n`
    await expect(text).toMatchFileSnapshot('../../deploy/metrics.json')
  })

  test('are all in the table of OPERATIONS.md, with their types and labels', async () => {
    const own = (await describeMetrics()).filter(({ name }) => !isOfNode(name))
    const expected = own.map(({ name, type, labels }) => ({ name, type, labels }))
    const named = rows.filter(({ name }) => !name.includes('*'))
    expect(named.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual(expected)
  })

  test('of the process have a row for each family', () => {
    const families = rows.map(({ name }) => name).filter((name) => name.includes('*'))
    expect(families).toEqual(['countersign_process_*', 'countersign_nodejs_*'])
  })

  test('have no label for an organization, an account or a payment', async () => {
    const labels = new Set((await describeMetrics()).flatMap((metric) => metric.labels))
    expect([...labels].filter((label) => /organi|account|payment|id$/i.test(label))).toEqual([])
  })
})

test('a scrape without a database answers at once, with what is known', async () => {
  const text = await ctx.metrics.registry.metrics()
  expect(text).toMatch(/^countersign_build_info\{version="0.0.1",node="\S+",process="both"\} 1$/m)
  expect(text).toMatch(/^countersign_worker_heartbeat_age_seconds Nan$/im)
  expect(text).not.toMatch(/^countersign_payments\{/m)
})
