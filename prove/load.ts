/** Load: eleven proofs. */
import { byTests, cases, figure, type Proof, tests } from './kinds.ts'

const TOGETHER = 'test/processes/load.test.ts'
const LIVE = 'test/live/fan-out.test.ts'

export const load: Proof[] = [
  {
    id: 'L1',
    title: 'Mixed API',
    done: '100 organizations, 80 % reads and 20 % writes, 200 requests a second for 5 minutes',
    run: tests('Mixed load on one API process', [TOGETHER], {
      env: { PROVE_ORGANIZATIONS: '100', PROVE_RATE: '200', PROVE_SECONDS: '300' },
      only: 'mixed',
    }),
    figures: [
      figure('requests', 'requests', '>= 57000'),
      figure('answers of 500 and above', 'serverErrors', '= 0'),
      figure('answers that break the contract', 'contractProblems', '= 0'),
      figure('requests a second', 'perSecond'),
      figure('p50 ms', 'p50'),
      figure('p95 ms', 'p95'),
      figure('p99 ms', 'p99'),
    ],
  },
  {
    id: 'L2',
    title: 'One executor',
    done: '500 authorised payments are queued at once',
    run: tests('500 payments of one executor', ['test/journeys/payment-pipeline.test.ts'], {
      env: { PROVE_PAYMENTS: '500' },
    }),
    figures: [
      figure('confirmed', 'confirmed', '>= 500'),
      figure('gaps in the nonces', 'gaps', '= 0'),
      figure('paid twice', 'doubles', '= 0'),
      figure('payments a minute', 'perMinute'),
      figure('queued to broadcast, p95 ms', 'broadcastP95'),
    ],
  },
  {
    id: 'L3',
    title: 'Many executors',
    done: '20 organizations with 50 payments each, 4 worker processes',
    run: tests('A thousand payments of 20 executors', ['test/processes/executors.test.ts'], {
      env: { PROVE_HOUSES: '20', PROVE_PAYMENTS: '50', PROVE_WORKERS: '4' },
    }),
    figures: [
      figure('confirmed', 'confirmed', '>= 1000'),
      figure('nonces used twice', 'collisions', '= 0'),
      figure('paid twice', 'doubles', '= 0'),
      figure('payments a minute', 'perMinute'),
    ],
  },
  {
    id: 'L4',
    title: 'Idempotency storm',
    done: '50 keys, each sent 200 times at once, at every route that takes one',
    run: tests('Equal requests at once', ['test/http/idempotency-storm.test.ts'], {
      env: { PROVE_KEYS: '50', PROVE_REQUESTS: '200' },
      only: 'concurrent equal requests',
    }),
    figures: [
      figure('routes', 'storm.routes', '>= 8'),
      figure('keys', 'storm.keys', '>= 400'),
      figure('requests', 'storm.requests', '>= 80000'),
      figure('effects of a key, at most', 'storm.effectsMax', '= 1'),
      figure('keys with differing answers', 'storm.divergent', '= 0'),
      figure('409, %', 'storm.conflictPercent'),
      figure('p99 ms', 'storm.p99'),
    ],
  },
  {
    id: 'L5',
    title: 'Fan-out of streams',
    done: '2,000 streams over 100 organizations, 50 events a second for 11 minutes, ended after 10',
    run: tests('Fan-out', [LIVE], {
      env: { PROVE_STREAMS: '2000', PROVE_TOPICS: '100', PROVE_SECONDS: '660' },
      only: 'each stream',
    }),
    figures: [
      figure('streams', 'streams', '>= 2000'),
      figure('deliveries', 'deliveries', '>= 650000'),
      figure('missed', 'missed', '= 0'),
      figure('out of order', 'outOfOrder', '= 0'),
      figure('of another organization', 'foreign', '= 0'),
      figure('came back with their cursor', 'resumed', '= 2000'),
      figure('delivery p99 ms', 'p99'),
      figure('RSS a stream, KiB, with what is not collected yet', 'kibAStream', '<= 50'),
    ],
  },
  {
    id: 'L6',
    title: 'Backlog of jobs',
    done: '100,000 jobs of three priorities wait when the workers start',
    run: tests('A backlog', ['test/platform/backlog.test.ts'], {
      env: { PROVE_JOBS: '100000' },
    }),
    figures: [
      figure('jobs', 'jobs', '>= 100000'),
      figure('left', 'left', '= 0'),
      figure('run twice', 'twice', '= 0'),
      figure(
        'begun before an older one of their priority, by more than are run at once',
        'early',
        '= 0',
      ),
      figure('jobs a second', 'perSecond'),
      figure('longest wait, s', 'waitMax'),
    ],
  },
  {
    id: 'L7',
    title: 'Polling of snapshots',
    done: '1,000 clients, each every 15 s, for 2 minutes',
    run: tests('Snapshots', [LIVE], {
      env: { PROVE_TOPICS: '100', PROVE_CLIENTS: '1000', PROVE_POLL_SECONDS: '120' },
      only: 'snapshot',
    }),
    figures: [
      figure('snapshots', 'snapshots', '>= 7900'),
      figure('that break the contract', 'contractProblems', '= 0'),
      figure('events in one, at most', 'eventsMax', '<= 50'),
      figure('p99 ms', 'p99'),
      figure('PostgreSQL, % of one core', 'databaseCpuPercent'),
    ],
  },
  {
    id: 'L8',
    title: 'Slow readers',
    done: '200 streams that take a byte a second beside others',
    run: tests('Slow readers', [LIVE], {
      env: { PROVE_STREAMS: '2000', PROVE_TOPICS: '100', PROVE_SLOW: '200' },
      only: 'slow',
    }),
    figures: [
      figure('slow ones', 'slow', '>= 200'),
      figure('slow ones not cut off', 'spared', '= 0'),
      figure('victims among the others', 'victims', '= 0'),
      figure('missed by the others', 'missed', '= 0'),
      figure('RSS more at the most, MiB', 'grownMib'),
    ],
  },
  {
    id: 'L9',
    title: 'Soak',
    done: '50 mixed requests a second, 5 payments a minute, streams that come and go, 12 minutes',
    run: tests('A soak of twelve minutes', [TOGETHER], {
      env: { PROVE_ORGANIZATIONS: '100', PROVE_SOAK_SECONDS: '720', PROVE_SOAK_RATE: '50' },
      only: 'soak',
    }),
    figures: [
      figure('seconds', 'seconds', '>= 600'),
      figure('answers of 500 and above', 'serverErrors', '= 0'),
      figure('heap in use more, API, MiB', 'api.heapMore', '<= 2'),
      figure('heap in use more, worker, MiB', 'worker.heapMore', '<= 2'),
      figure('heap in use, API, MiB', 'api.heapMib'),
      figure('heap in use, worker, MiB', 'worker.heapMib'),
      figure('RSS with garbage at most, API, MiB', 'api.rssMax'),
      figure('RSS with garbage at most, worker, MiB', 'worker.rssMax'),
      figure('open files more, API', 'api.filesMore', '<= 2'),
      figure('open files more, worker', 'worker.filesMore', '<= 2'),
      figure('database connections more', 'connectionsMore', '<= 2'),
      figure('payments', 'payments'),
      figure('requests', 'requests'),
    ],
  },
  byTests(
    'L10',
    'Contention for a budget',
    '100 payments at once over a budget for 40, signed and automatic',
    ['test/http/payments-budget.test.ts'],
    {
      env: { PROVE_PAYMENTS: '100' },
      figures: [
        figure('asked at once', 'asked', '>= 100'),
        figure('over-committed', 'overCommitted', '= 0'),
      ],
    },
  ),
  {
    id: 'L11',
    title: 'Search of operators',
    done: 'names and pages among 10,000 organizations and 100,000 expenses',
    run: tests('Plans and times of operators’ reads', ['test/http/admin-plans.test.ts'], {
      env: { PROVE_ROUNDS: '100' },
    }),
    figures: [
      ...cases('plans, each by indexes with few rows'),
      figure('reads', 'reads', '> 0'),
      figure('p50 ms', 'p50'),
      figure('p99 ms', 'p99'),
    ],
  },
]
