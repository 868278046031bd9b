/** The parts of `npm run bench`, in the order in which they run and are reported. */
import { PAGES } from '#prove/pages.ts'
import { SET_UP, type Sources } from '#prove/sources.ts'

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

/** A file each; no part needs the file of another. */
const SCRIPTS = [
  ...(['reads', 'creation', 'growth', 'scale', 'admin', 'payments', 'live', 'memory'] as const),
  ...(['transfers', 'pages', 'tracing', 'start-up'] as const),
]
type Script = (typeof SCRIPTS)[number]

const pathOf = (name: string): string => `bench/${name}.ts`

const sourcesOf = (name: Script): Sources => ({
  folders: ['src/', 'packages/proof/src/', 'migrations/'],
  entries: [pathOf(name)],
  files: ['package-lock.json'],
  except: [...PAGE, ...SCRIPTS.filter((other) => other !== name)].map(pathOf),
})

type Program = Pick<Part, 'args' | 'sources'>

const script = (name: Script): Program => ({
  args: [...GUARD, pathOf(name)],
  sources: sourcesOf(name),
})

const asTest = (name: Script): Program => {
  const config = 'bench/vitest.config.ts'
  const { entries = [], files, ...sources } = sourcesOf(name)
  return {
    args: [...GUARD, 'node_modules/vitest/vitest.mjs', 'run', '--config', config, pathOf(name)],
    sources: { ...sources, entries: [...SET_UP, ...entries], files: [...files, config] },
  }
}

/** The applications decide its figures as much as the service does. */
const withPages = ({ args, sources }: Program): Program => ({
  args,
  sources: {
    ...sources,
    folders: [...sources.folders, ...PAGES.folders, 'tools/web/'],
    except: [...(sources.except ?? []), ...PAGES.except],
  },
})

export const parts: Record<string, Part> = {
  reads: {
    title: 'Authenticated reads over HTTP',
    ...script('reads'),
    small: { READ_ROUNDS: '3', READ_ROUND_MS: '1000', READ_WARM_UP: '500', READ_CHANGES: '30' },
  },
  creation: {
    title: 'Creating expenses over HTTP',
    ...script('creation'),
    small: { CREATION_ROUNDS: '3', CREATION_ROUND_SECONDS: '2' },
  },
  growth: {
    title: 'Reads as the data grows',
    ...script('growth'),
    small: { GROWTH_SIZES: '1000,10000', GROWTH_ROUNDS: '30' },
  },
  scale: {
    title: 'One very large organization',
    ...script('scale'),
    small: { SCALE_PART: '0.02', SCALE_ROUNDS: '3' },
  },
  admin: {
    title: 'Operators’ lists and searches',
    ...script('admin'),
    small: { ADMIN_ROUNDS: '20' },
  },
  payments: {
    title: 'Payment pipeline',
    ...asTest('payments'),
    small: { PAYMENTS: '96', BLOCK_MS: '1000' },
  },
  'payments-fast': {
    title: 'Payment pipeline on a faster chain',
    ...asTest('payments'),
    env: { PAYMENTS: '320', BLOCK_MS: '250' },
    small: { PAYMENTS: '96', BLOCK_MS: '250' },
  },
  streams: {
    title: 'Live streams',
    ...script('live'),
    small: { BENCH_STREAMS: '500', BENCH_SECONDS: '3' },
  },
  memory: { title: 'Memory', ...script('memory'), small: { MEMORY_MS: '5000' } },
  transfers: {
    title: 'Exports and attachments',
    ...script('transfers'),
    small: { TRANSFER_PAYMENTS: '5000', TRANSFER_TIMES: '2' },
  },
  pages: {
    title: 'The consumer application in a browser',
    ...withPages(asTest('pages')),
    small: { PAGES_ROUNDS: '2' },
  },
  tracing: {
    title: 'Traces',
    ...script('tracing'),
    small: { TRACING_ROUNDS: '3', TRACING_STATEMENTS: '50000', TRACING_WARM_UP: '500' },
  },
  'start-up': {
    title: 'Start-up',
    ...withPages(script('start-up')),
    small: { START_ROUNDS: '3' },
  },
}
