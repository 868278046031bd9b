/**
 * Alert rules and the dashboard: they use metrics and labels that the service has, and `promtool`
 * tests every rule.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { findProgram, type Program, run } from '#test/support/debian.ts'
import { ROOT, read } from './deployed.ts'

type Metric = { name: string; type: string; labels: string[] }
type Rule = {
  alert: string
  expr: string
  for?: string
  labels: { severity: string }
  annotations: { summary: string; runbook: string }
}

/** `test/platform/metrics.test.ts` compares this file with what the service exports. */
const metrics: Metric[] = JSON.parse(read('deploy/metrics.json'))

/** Every process has these labels of Prometheus itself. */
const OF_PROMETHEUS = ['instance', 'job', 'le']
/** A label of ours with such a name gets another one when it is scraped. */
const RENAMED: Record<string, string> = { job: 'exported_job' }

/** A histogram is queried by its series. */
const isSeriesOf = ({ name, type }: Metric, series: string): boolean =>
  type === 'histogram' ? new RegExp(`^${name}_(?:bucket|count|sum)$`).test(series) : name === series

const seriesIn = (expr: string): string[] =>
  [...expr.matchAll(/\bcountersign_\w+/g)].map(([name]) => name)

const metricOf = (series: string) => metrics.find((metric) => isSeriesOf(metric, series))

const labelsIn = (expr: string): string[] => [
  ...[...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names = '']) => names.split(/,\s*/)),
  ...[...expr.matchAll(/(\w+)(?:=~|!~|!=|=)"/g)].map(([, name = '']) => name),
]

/** Names that do not exist, in a query. */
function unknownIn(expr: string): string[] {
  const found = seriesIn(expr)
  const own = found.flatMap((name) => metricOf(name)?.labels ?? [])
  const labels = [...own.map((label) => RENAMED[label] ?? label), ...OF_PROMETHEUS]
  return [
    ...found.filter((name) => !metricOf(name)),
    ...labelsIn(expr).filter((label) => !labels.includes(label)),
  ]
}

const [group] = parse(read('deploy/prometheus/alerts.yml')).groups as { rules: Rule[] }[]
const rules = group?.rules ?? []

/** As the table of docs/OPERATIONS.md says it. */
function durationOf({ for: duration }: Rule): string {
  if (duration === undefined) return 'immediately'
  const [, number = '', unit = ''] = /^(\d+)([mh])$/.exec(duration) ?? []
  return `for ${number} ${unit === 'h' ? 'hour' : 'minute'}${number === '1' ? '' : 's'}`
}

test('the check of names finds what does not exist', () => {
  expect(unknownIn('max(countersign_no_such) > 0')).toEqual(['countersign_no_such'])
  expect(unknownIn('countersign_job_duration_seconds > 0')).toEqual([
    'countersign_job_duration_seconds',
  ])
  expect(unknownIn('sum by (tenant) (countersign_payments{sate="x"})')).toEqual(['tenant', 'sate'])
})

describe('the alert rules', () => {
  test.each(rules.map(({ alert, ...rule }) => [alert, rule] as const))('%s', (_name, rule) => {
    expect(unknownIn(rule.expr)).toEqual([])
    expect(['critical', 'warning']).toContain(rule.labels.severity)
    const [path = '', anchor] = rule.annotations.runbook.split('#')
    expect(existsSync(join(ROOT, path))).toBe(true)
    const headings = [...read(path).matchAll(/^#+ (.+)$/gm)].map(([, text = '']) =>
      text
        .toLowerCase()
        .replace(/[^\w\s-]/g, '')
        .replace(/\s/g, '-'),
    )
    if (anchor !== undefined) expect(headings).toContain(anchor)
  })

  test.each(rules.map((rule) => [rule.alert, rule] as const))(
    '%s has a row in docs/OPERATIONS.md with its duration',
    (name, rule) => {
      const [, section = ''] = read('docs/OPERATIONS.md').split(/^## Alerts$/m)
      const rows = section.split('\n').filter((line) => line.startsWith(`| \`${name}\``))
      expect(rows).toHaveLength(1)
      expect(rows[0]).toContain(` | ${durationOf(rule)} | `)
    },
  )

  test('are each tested, and silent about a healthy service', () => {
    type Case = { name: string; alert_rule_test: { alertname: string; exp_alerts: unknown[] }[] }
    const { tests }: { tests: Case[] } = parse(read('deploy/prometheus/alerts.test.yml'))
    const names = rules.map(({ alert }) => alert)
    expect(tests.map(({ name }) => name)).toEqual([...names, 'a healthy service'])
    const firing = tests.filter(({ alert_rule_test: checks }) =>
      checks.some(({ exp_alerts: alerts }) => alerts.length > 0),
    )
    expect(firing).toHaveLength(names.length)
    expect(tests.at(-1)?.alert_rule_test.map(({ alertname }) => alertname)).toEqual(names)
  })

  describe('with promtool', () => {
    let promtool: Program

    beforeAll(async () => {
      promtool = await findProgram('promtool')
    }, 600_000)

    test.each([
      ['check', 'config', 'prometheus.yml'],
      ['test', 'rules', 'alerts.test.yml'],
    ])('%s %s %s succeeds', async (...args) => {
      const cwd = join(ROOT, 'deploy', 'prometheus')
      const { stdout } = await run(promtool.path, args, { cwd, env: promtool.env })
      expect(stdout).toContain('SUCCESS')
      expect(stdout).not.toContain('FAILED')
    })
  })
})

describe('the dashboard', () => {
  type Panel = {
    id: number
    type: string
    title: string
    gridPos: { x: number; y: number; w: number; h: number }
    targets?: { expr: string }[]
  }
  const { panels }: { panels: Panel[] } = JSON.parse(read('deploy/grafana/countersign.json'))
  const graphs = panels.filter(({ type }) => type !== 'row')

  test.each(graphs.map(({ title, targets }) => [title, targets] as const))('%s', (_title, all) => {
    expect(all).not.toEqual([])
    for (const { expr } of all ?? []) {
      expect(seriesIn(expr)).not.toEqual([])
      expect(unknownIn(expr)).toEqual([])
    }
  })

  test('shows every metric of the service except those of Node', () => {
    const shown = new Set(
      graphs
        .flatMap(({ targets = [] }) => targets)
        .flatMap(({ expr }) => seriesIn(expr).map((name) => metricOf(name)?.name)),
    )
    const own = metrics.filter(({ name }) => !/_(?:nodejs|process|trace)_/.test(name))
    expect(own.map(({ name }) => name).filter((name) => !shown.has(name))).toEqual([])
  })

  test('has no panel on top of another', () => {
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_cell, at) => `${x + (at % w)} ${y + Math.floor(at / w)}`),
    )
    expect(new Set(cells).size).toBe(cells.length)
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
  })
})
