/** The parts of `npm run bench`, in the order in which they run and are reported. */
const GUARD = ['--import', './require-node.mjs']

type Settings = Record<string, string>
export type Part = { title: string; args: string[]; env?: Settings; small: Settings }

const file = (name: string): string[] => [...GUARD, `bench/${name}.ts`]
const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'bench/vitest.config.ts']

export const parts: Record<string, Part> = {
  reads: {
    title: 'Authenticated reads through the whole HTTP stack',
    args: file('reads'),
    small: { READ_ROUNDS: '3', READ_ROUND_MS: '1000', READ_WARM_UP: '500' },
  },
  creation: {
    title: 'Creation of expenses through the whole HTTP stack',
    args: file('creation'),
    small: { CREATION_ROUNDS: '3', CREATION_ROUND_SECONDS: '2' },
  },
  growth: {
    title: 'Growth of the books',
    args: file('growth'),
    small: { GROWTH_SIZES: '1000,10000', GROWTH_ROUNDS: '30' },
  },
  payments: {
    title: 'The payment pipeline',
    args: [...GUARD, ...vitest],
    small: { PAYMENTS: '96', BLOCK_MS: '1000' },
  },
  'payments-fast': {
    title: 'The payment pipeline on a faster chain',
    args: [...GUARD, ...vitest],
    env: { PAYMENTS: '320', BLOCK_MS: '250' },
    small: { PAYMENTS: '96', BLOCK_MS: '250' },
  },
  streams: {
    title: 'Live streams',
    args: file('live'),
    small: { BENCH_STREAMS: '500', BENCH_SECONDS: '3' },
  },
  memory: { title: 'Memory', args: file('memory'), small: { MEMORY_MS: '5000' } },
  'start-up': { title: 'Start-up', args: file('start-up'), small: { START_ROUNDS: '3' } },
}
