/** `npm run chart`: Helm itself renders the chart as the tests do. Helm must be installed. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { run } from '#test/support/debian.ts'
import { CHART, EXAMPLE, type Manifest, renderChart } from './chart.ts'
import { ROOT } from './deployed.ts'

const set = ['image.repository=registry.example/countersign', 'image.tag=1.2.3']
const hosts = ['consumer=app', 'admin=admin', 'api=api'].map((pair) => `hosts.${pair}.example`)
const flags = [...set, ...hosts, 'image.pullPolicy=Always'].flatMap((one) => ['--set', one])
const folder = join(ROOT, CHART)

const key = ({ kind, metadata }: Manifest) => `${kind} ${metadata.name}`
const byKey = (all: Manifest[]) => Object.fromEntries(all.map((one) => [key(one), one]))

try {
  await run('helm', ['lint', '--strict', folder, ...flags])
  const { stdout } = await run('helm', ['template', 'countersign', folder, ...flags])
  const rendered = parseAllDocuments(stdout).map((document) => document.toJS())
  assert.deepEqual(byKey(rendered), byKey(renderChart(EXAMPLE)))
  process.stdout.write(`Helm renders the same ${rendered.length} manifests.\n`)
} catch (error) {
  const { code, message } = error as NodeJS.ErrnoException
  process.stderr.write(
    code === 'ENOENT' ? 'Install Helm: it is not on the path.\n' : `${message}\n`,
  )
  process.exitCode = 1
}
