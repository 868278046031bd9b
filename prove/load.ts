/** Load: eleven proofs. */
import { byTests, cases, figure, type Proof, tests } from './kinds.ts'

const TOGETHER = 'test/processes/load.strain.test.ts'
const LIVE = 'test/live/fan-out.strain.test.ts'

export const load: Proof[] = [
  {
    id: 'L1',
    title: 'Mixed requests',
    done: '100 organizations, 80 % reads and 20 % writes, 200 requests a second for 5 minutes',
    run: tests('Mixed load on one API process', [TOGETHER], {
      env: { PROVE_ORGANIZATIONS: '100', PROVE_RATE: '200', PROVE_SECONDS: '300' },
      only: 'mixed',
    }),
    figures: [
      figure('requests', 'requests', '>= 57000'),
      figure('5xx responses', 'serverErrors', '= 0'),
      figure('responses that break the contract', 'contractProblems', '= 0'),
      figure('requests a second', 'perSecond', '>= 190'),
      figure('p50 ms', 'p50'),
      figure('p95 ms', 'p95'),
      figure('p99 ms', 'p99', '<= 1000'),
    ],
  },
  {
    id: 'L2',
    title: 'Payments of one executor',
    done: '500 authorised payments queued at once',
    run: tests('500 payments of one executor', ['test/journeys/payment-pipeline.test.ts'], {
      env: { PROVE_PAYMENTS: '500' },
    }),
    figures: [
      figure('confirmed', 'confirmed', '>= 500'),
      figure('nonce gaps', 'gaps', '= 0'),
      figure('double payments', 'doubles', '= 0'),
      figure('payments a minute', 'perMinute'),
      figure('queued to broadcast, p95 ms', 'broadcastP95'),
    ],
  },
  {
    id: 'L3',
    title: 'Payments of many executors',
    done: '20 organizations with 50 payments each, 4 worker processes',
    run: tests('A thousand payments of 20 executors', ['test/processes/executors.strain.test.ts'], {
      env: { PROVE_HOUSES: '20', PROVE_PAYMENTS: '50', PROVE_WORKERS: '4' },
    }),
    figures: [
      figure('confirmed', 'confirmed', '>= 1000'),
      figure('nonces used twice', 'collisions', '= 0'),
      figure('double payments', 'doubles', '= 0'),
      figure('payments a minute', 'perMinute'),
    ],
  },
  {
    id: 'L4',
    title: 'Idempotency storm',
    done: '50 keys, each sent 200 times concurrently, at every route that takes a key',
    run: tests(
      'Concurrent requests with the same key',
      ['test/http/idempotency-storm.strain.test.ts'],
      {
        env: { PROVE_KEYS: '50', PROVE_REQUESTS: '200' },
        only: 'concurrent equal requests',
      },
    ),
    figures: [
      figure('routes', 'storm.routes', '>= 8'),
      figure('keys', 'storm.keys', '>= 400'),
      figure('requests', 'storm.requests', '>= 80000'),
      figure('effects of a key, at most', 'storm.effectsMax', '= 1'),
      figure('keys with differing answers', 'storm.divergent', '= 0'),
      figure('responses 409, %', 'storm.conflictPercent'),
      figure('p99 ms', 'storm.p99'),
    ],
  },
  {
    id: 'L5',
    title: 'Stream fan-out',
    done:
      '2,000 streams of 100 organizations, 50 events a second for 11 minutes; the server closes ' +
      'each stream after 10 minutes',
    run: tests('2,000 live streams', [LIVE], {
      env: { PROVE_STREAMS: '2000', PROVE_TOPICS: '100', PROVE_SECONDS: '660' },
      only: 'each stream',
    }),
    figures: [
      figure('streams', 'streams', '>= 2000'),
      figure('deliveries', 'deliveries', '>= 650000'),
      figure('missed', 'missed', '= 0'),
      figure('out of order', 'outOfOrder', '= 0'),
      figure('events of another organization', 'foreign', '= 0'),
      figure('streams resumed with their cursor', 'resumed', '= 2000'),
      figure('delivery p99 ms', 'p99'),
      figure('RSS a stream before garbage collection, KiB', 'kibAStream', '<= 50'),
    ],
  },
  {
    id: 'L6',
    title: 'Job backlog',
    done: '100,000 jobs of three priorities are queued before the workers start',
    run: tests('A backlog of 100,000 jobs', ['test/platform/backlog.strain.test.ts'], {
      env: { PROVE_JOBS: '100000' },
    }),
    figures: [
      figure('jobs', 'jobs', '>= 100000'),
      figure('jobs left', 'left', '= 0'),
      figure('run twice', 'twice', '= 0'),
      figure(
        'started before an older job of their priority, beyond the concurrency',
        'early',
        '= 0',
      ),
      figure('jobs a second', 'perSecond'),
      figure('longest wait, s', 'waitMax'),
    ],
  },
  {
    id: 'L7',
    title: 'Snapshot polling',
    done: '1,000 clients, each every 15 s, for 2 minutes',
    run: tests('1,000 clients that poll snapshots', [LIVE], {
      env: { PROVE_TOPICS: '100', PROVE_CLIENTS: '1000', PROVE_POLL_SECONDS: '120' },
      only: 'snapshot',
    }),
    figures: [
      figure('snapshots', 'snapshots', '>= 7900'),
      figure('snapshots that break the contract', 'contractProblems', '= 0'),
      figure('events in a snapshot, at most', 'eventsMax', '<= 50'),
      figure('p99 ms', 'p99'),
      figure('PostgreSQL, % of one core', 'databaseCpuPercent'),
    ],
  },
  {
    id: 'L8',
    title: 'Slow readers',
    done: '200 streams that read one byte a second, next to 2,000 others',
    run: tests('200 slow readers', [LIVE], {
      env: { PROVE_STREAMS: '2000', PROVE_TOPICS: '100', PROVE_SLOW: '200' },
      only: 'slow',
    }),
    figures: [
      figure('slow streams', 'slow', '>= 200'),
      figure('slow streams not closed', 'spared', '= 0'),
      figure('other streams closed', 'victims', '= 0'),
      figure('events missed by other streams', 'missed', '= 0'),
      figure('RSS growth at its peak, MiB', 'grownMib'),
    ],
  },
  {
    id: 'L9',
    title: 'Soak',
    done: '50 mixed requests a second, 5 payments a minute, reconnecting streams, for 12 minutes',
    run: tests('A soak test of twelve minutes', [TOGETHER], {
      env: { PROVE_ORGANIZATIONS: '100', PROVE_SOAK_SECONDS: '720', PROVE_SOAK_RATE: '50' },
      only: 'soak',
    }),
    figures: [
      figure('seconds', 'seconds', '>= 600'),
      figure('5xx responses', 'serverErrors', '= 0'),
      figure('heap growth, API, MiB', 'api.heapMore', '<= 2'),
      figure('heap growth, worker, MiB', 'worker.heapMore', '<= 2'),
      figure('heap in use, API, MiB', 'api.heapMib'),
      figure('heap in use, worker, MiB', 'worker.heapMib'),
      figure('peak RSS, API, MiB', 'api.rssMax'),
      figure('peak RSS, worker, MiB', 'worker.rssMax'),
      figure('open files gained, API', 'api.filesMore', '<= 2'),
      figure('open files gained, worker', 'worker.filesMore', '<= 2'),
      figure('database connections gained', 'connectionsMore', '<= 2'),
      figure('payments', 'payments', '>= 55'),
      figure('requests', 'requests', '>= 34000'),
    ],
  },
  byTests(
    'L10',
    'Budget contention',
    '100 concurrent payments against a budget for 40: funds, lifetime cap, automatic payments',
    ['test/http/payments-budget.strain.test.ts'],
    {
      least: 4,
      env: { PROVE_PAYMENTS: '100' },
      figures: [
        figure('budgets', 'budgets', '>= 3'),
        figure('concurrent requests of each, at least', 'askedMin', '>= 100'),
        figure('reserved beyond a budget', 'overCommitted', '= 0'),
        figure('budget left unused', 'underCommitted', '= 0'),
      ],
    },
  ),
  {
    id: 'L11',
    title: 'Administrator search',
    done: 'names and pages among 10,000 organizations and 100,000 expenses',
    run: tests(
      'Query plans and times of administrators’ reads',
      ['test/http/admin-plans.strain.test.ts'],
      {
        env: { PROVE_ROUNDS: '100', PROVE_ORGANIZATIONS: '10000', PROVE_EXPENSES: '100000' },
      },
    ),
    figures: [
      ...cases(57, 'plans that use indexes and read few rows'),
      figure('reads', 'reads', '>= 4900'),
      figure('p50 ms', 'p50'),
      figure('p99 ms', 'p99'),
    ],
  },
]
