/** The parts of `npm run bench`, in the order in which they run and are reported. */
import { PAGES } from '#prove/pages.ts'
import type { Sources } from '#prove/sources.ts'

const GUARD = ['--import', './require-node.mjs']

type Settings = Record<string, string>
export type Part = {
  title: string
  args: string[]
  env?: Settings
  /** For `--small`. */
  small: Settings
  /** The files that decide its figures. */
  sources: Sources
}

/** What only schedules the parts and writes the page does not influence a figure. */
const PAGE = ['parts', 'plot', 'report', 'results', 'run', 'machine', 'sizing', 'sizing-needs']

const sources: Sources = {
  folders: ['src/', 'packages/proof/src/', 'migrations/', 'bench/', 'test/'],
  files: ['package-lock.json'],
  except: PAGE.map((name) => `bench/${name}.ts`),
}

const file = (name: string): string[] => [...GUARD, `bench/${name}.ts`]
const asTest = (name: string): string[] => [
  ...[...GUARD, 'node_modules/vitest/vitest.mjs', 'run', '--config', 'bench/vitest.config.ts'],
  `bench/${name}.ts`,
]

export const parts: Record<string, Part> = {
  reads: {
    title: 'Authenticated reads over HTTP',
    sources,
    args: file('reads'),
    small: { READ_ROUNDS: '3', READ_ROUND_MS: '1000', READ_WARM_UP: '500' },
  },
  creation: {
    title: 'Creating expenses over HTTP',
    sources,
    args: file('creation'),
    small: { CREATION_ROUNDS: '3', CREATION_ROUND_SECONDS: '2' },
  },
  growth: {
    title: 'Reads as the data grows',
    sources,
    args: file('growth'),
    small: { GROWTH_SIZES: '1000,10000', GROWTH_ROUNDS: '30' },
  },
  scale: {
    title: 'One very large organization',
    sources,
    args: file('scale'),
    small: { SCALE_PART: '0.02', SCALE_ROUNDS: '3' },
  },
  admin: {
    title: 'Operators’ lists and searches',
    sources,
    args: file('admin'),
    small: { ADMIN_ROUNDS: '20' },
  },
  payments: {
    title: 'Payment pipeline',
    sources,
    args: asTest('payments'),
    small: { PAYMENTS: '96', BLOCK_MS: '1000' },
  },
  'payments-fast': {
    title: 'Payment pipeline on a faster chain',
    sources,
    args: asTest('payments'),
    env: { PAYMENTS: '320', BLOCK_MS: '250' },
    small: { PAYMENTS: '96', BLOCK_MS: '250' },
  },
  streams: {
    title: 'Live streams',
    sources,
    args: file('live'),
    small: { BENCH_STREAMS: '500', BENCH_SECONDS: '3' },
  },
  memory: { title: 'Memory', args: file('memory'), small: { MEMORY_MS: '5000' }, sources },
  transfers: {
    title: 'Exports and attachments',
    args: file('transfers'),
    small: { TRANSFER_PAYMENTS: '5000', TRANSFER_TIMES: '2' },
    sources,
  },
  pages: {
    title: 'The consumer application in a browser',
    args: asTest('pages'),
    small: { PAGES_ROUNDS: '2' },
    sources: {
      ...sources,
      folders: [...sources.folders, ...PAGES.folders, 'tools/web/'],
      except: [...(sources.except ?? []), ...PAGES.except],
    },
  },
  tracing: {
    title: 'Traces',
    args: file('tracing'),
    small: { TRACING_ROUNDS: '3', TRACING_STATEMENTS: '50000', TRACING_WARM_UP: '500' },
    sources,
  },
  'start-up': {
    title: 'Start-up',
    args: file('start-up'),
    small: { START_ROUNDS: '3' },
    sources,
  },
}
