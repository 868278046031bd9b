/** The actions of the audit trail, collected from every module's `*.actions.ts`. */
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { readSource, readSources } from '#test/tidy/source.ts'

const ROOT = join(import.meta.dirname, '..')

describe('actions of the audit trail', () => {
  let registered: string[]
  beforeAll(async () => {
    const paths = readSources('src', ['.actions.ts']).map(({ path }) => path)
    const modules = await Promise.all(paths.map((path) => import(join(ROOT, path))))
    const tables = modules.flatMap((module) => Object.values<Record<string, string>>(module))
    registered = ['operator.read', ...tables.flatMap((table) => Object.values<string>(table))]
  })

  test('are registered once', () => {
    expect(registered.length).toBeGreaterThan(100)
    expect([...new Set(registered)]).toEqual(registered)
  })

  test('are in the past tense, but for conditions that were found', () => {
    const conditions = [
      ...['executor.gas_low', 'executor.fees_high', 'payment.out_of_step', 'vault.made_default'],
      ...['vault_deployment.reconciling', 'policy_intent.reconciling'],
    ]
    const past = /^[a-z_]+\.(?:[a-z]+_)*(?:[a-z]+ed|read|found|held|left|lost|withdrawn|broadcast)$/
    expect(registered.filter((action) => !past.test(action)).sort()).toEqual(conditions.sort())
  })

  test('are those of docs/AUDIT.md', () => {
    const { text } = readSource('docs/AUDIT.md')
    const section = text.split('## Actions')[1]?.split(/^## /m)[0] ?? ''
    const listed = [...section.matchAll(/`([a-z_]+\.[a-z_]+)`/g)].map(([, action = '']) => action)
    expect(listed.sort()).toEqual([...registered].sort())
  })
})
