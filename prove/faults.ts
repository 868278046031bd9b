/** Faults: crashes, outages, lost responses and lying nodes. */
import { highAvailability } from './high-availability.ts'
import { byTests, figure, from, type Proof, tests } from './kinds.ts'

const simulated = (label: string, of: string, target?: string) =>
  from('simulator', label, `signed.${of}`, target)

export const faults: Proof[] = [
  {
    id: 'F1',
    title: 'Crash matrix',
    done:
      'a worker that pays what two approvers signed is killed at each numbered point between ' +
      'claim and confirmation, twenty times; real processes are killed at random moments, ' +
      'simulated ones at any step',
    run: tests(
      'Workers killed at each numbered point',
      ['test/processes/crash-matrix.strain.test.ts'],
      {
        env: { PROVE_CRASHES: '20' },
      },
    ),
    figures: [
      figure('points', 'crashes.points', '>= 23'),
      figure('kills', 'crashes.kills', '>= 460'),
      figure('double payments', 'crashes.doubles', '= 0'),
      figure('false states', 'crashes.falseStates', '= 0'),
      from('payments', 'kills at random moments', 'kills', '>= 1000'),
      from('payments', 'double payments', 'doubles', '= 0'),
      from('payments', 'marked failed', 'failed', '= 0'),
      simulated('simulated crashes', 'faultsByKind.crash', '>= 250000'),
      simulated('violations', 'violations', '= 0'),
    ],
  },
  byTests(
    'F2',
    'Lost response',
    'a proxy forwards the transaction and drops the response',
    ['test/journeys/payment-faults.strain.test.ts'],
    {
      least: 5,
      only: 'is lost|is away',
      figures: [
        figure('transaction hashes of a nonce, at most', 'hashesMax', '= 1'),
        simulated('simulated lost responses', 'faultsByKind.node_answer_lost', '>= 70000'),
        simulated('violations', 'violations', '= 0'),
      ],
    },
  ),
  {
    id: 'F3',
    title: 'Deterministic simulation',
    done: '20,000 seeds with every kind of fault, without the contract’s replay guard',
    run: 'simulator',
    figures: [
      figure('seeds', 'signed.seeds', '>= 20000'),
      figure('payments', 'signed.payments', '>= 100000'),
      figure('faults', 'signed.faults', '>= 1000000'),
      figure('violations', 'signed.violations', '= 0'),
      figure('seeds a second', 'signed.seedsPerSecond'),
      figure('payments delegated to a provider', 'entrusted.payments', '>= 100000'),
      figure('faults', 'entrusted.faults', '>= 1000000'),
      figure('violations', 'entrusted.violations', '= 0'),
    ],
  },
  {
    id: 'F4',
    title: 'Duplicate workers',
    done: 'the same job delivered to two workers; workers that resume after their lease ended',
    run: 'simulator',
    figures: [
      figure('jobs delivered twice', 'signed.faultsByKind.duplicate_job', '>= 200000'),
      figure('workers stalled', 'signed.faultsByKind.stalled_worker', '>= 170000'),
      figure('writes of stale workers, rejected', 'signed.staleWrites', '>= 60000'),
      figure('violations', 'signed.violations', '= 0'),
    ],
  },
  {
    id: 'F5',
    title: 'Sabotage check',
    done: 'ten deliberately wrong variants of the engine, each of which the simulator must detect',
    run: 'simulator',
    figures: ['signed', 'entrusted'].flatMap((half) =>
      ['0', '1', '2', '3', '4'].flatMap((n) => [
        figure('variant', `${half}.variants.${n}.variant`),
        figure('detected after seeds', `${half}.variants.${n}.seedsToDetection`, '<= 200'),
      ]),
    ),
  },
  {
    id: 'F6',
    title: 'PostgreSQL outages',
    done: 'immediate stop every 5 to 10 s, down for up to 2 s, while API processes are killed',
    run: 'chaos',
    figures: [
      figure('acknowledged writes', 'acknowledged', '>= 10000'),
      figure('lost', 'lost', '= 0'),
      figure('done twice', 'twice', '= 0'),
      figure('unfinished jobs', 'unfinished', '= 0'),
      figure('analyses asked for again after three outages', 'resubmitted'),
      figure('stops of PostgreSQL', 'databaseStops', '>= 60'),
      figure('API processes killed', 'apisKilled', '>= 15'),
    ],
  },
  byTests(
    'F7',
    'Chain reorganisations',
    'every depth up to finality, with and without re-inclusion, before and after the broadcast',
    [
      'test/journeys/payment-reorganisations.strain.test.ts',
      'test/chain/reorganisations.strain.test.ts',
    ],
    {
      least: 46,
      env: { PROVE_DEPTHS: '12' },
      figures: [
        simulated('simulated', 'faultsByKind.reorganisation', '>= 120000'),
        simulated(
          'simulated, without re-inclusion',
          'faultsByKind.reorganisation_without_reinclusion',
          '>= 120000',
        ),
        simulated('violations', 'violations', '= 0'),
      ],
    },
  ),
  byTests(
    'F8',
    'Lagging node',
    'one node is 1 to 20 blocks behind, with an old nonce and old balances',
    [
      'test/journeys/payment-liars.strain.test.ts',
      'test/adapters/payment-nodes.strain.test.ts',
      'test/chain/slow-nodes.strain.test.ts',
      'test/chain/heights.test.ts',
    ],
    {
      least: 8,
      env: { PROVE_LAGS: '20' },
      only: 'lags|behind|height|anchor|short ranges|newest block',
      figures: [
        figure('lags tried', 'lags.tried', '>= 20'),
        figure('wrong decisions', 'wrongDecisions', '= 0'),
        simulated('simulated reads of a lagging node', 'faultsByKind.node_lagging', '>= 140000'),
        simulated('violations', 'violations', '= 0'),
      ],
    },
  ),
  byTests(
    'F9',
    'Lying node',
    'fabricated receipts, wrong status, wrong log, wrong chain, null for a mined transaction',
    ['test/journeys/payment-liars.strain.test.ts', 'test/adapters/payment-evidence.test.ts'],
    {
      least: 25,
      figures: [
        simulated('simulated lies', 'faultsByKind.node_lying', '>= 85000'),
        simulated('violations', 'violations', '= 0'),
      ],
    },
  ),
  byTests(
    'F10',
    'Stuck transactions and fee spikes',
    'no block is mined for five minutes; the base fee rises tenfold, at once or later',
    ['test/journeys/payment-faults.strain.test.ts', 'test/http/payments-replacement.test.ts'],
    {
      least: 7,
      only: 'nobody mines|signed again|replace',
      figures: [
        figure('replacements', 'fees.replacements', '>= 6'),
        figure('highest fee as a multiple of the first', 'fees.ratioMax', '<= 5'),
        simulated('simulated spikes', 'faultsByKind.fee_spike', '>= 70000'),
        simulated('violations', 'violations', '= 0'),
      ],
    },
  ),
  byTests(
    'F11',
    'Token refuses transfers',
    'USDC paused, vault or recipient blacklisted, before and during the broadcast',
    ['test/journeys/payment-drift.strain.test.ts', 'test/http/payments-again.test.ts'],
    { least: 9, only: 'before anything is sent|while it is in flight|the token refuses' },
  ),
  byTests(
    'F12',
    'Policy changes in flight',
    'the owner reconfigures or pauses between approval, queue and broadcast',
    [
      'test/journeys/payment-drift.strain.test.ts',
      'test/http/payments-void.test.ts',
      'test/http/payments-again.test.ts',
    ],
    { least: 12, only: 'owner|policy' },
  ),
  byTests(
    'F13',
    'Provider outages',
    'time-outs, 500, 429 and invalid JSON from Privy, Circle, push, identity and model providers',
    [
      'test/adapters/provider-outages.strain.test.ts',
      'test/adapters/executor-circle.test.ts',
      'test/http/wallets-privy.test.ts',
      'test/http/wallet-exports-privy.test.ts',
      'test/push/web-push.test.ts',
      'test/push/deliver.test.ts',
      'test/security/token-keys.test.ts',
      'test/adapters/model-analyst-outages.strain.test.ts',
      'test/model/second-reader.test.ts',
      'test/http/executor-crash.test.ts',
    ],
    {
      least: 192,
      figures: [
        figure('providers', 'outages.providers', '>= 5'),
        figure('outages', 'outages.cases', '>= 20'),
        figure('duplicates at a provider', 'outages.duplicates', '= 0'),
        figure('longest recovery, ms', 'outages.recoveredMaxMs', '<= 10000'),
      ],
    },
  ),
  byTests(
    'F14',
    'Clock skew',
    'a worker’s clock is ten minutes ahead or behind the database’s; a standby takes over whose ' +
      'clock is ten minutes ahead or behind',
    ['test/journeys/clocks.strain.test.ts', 'test/deploy/standby-clock.strain.test.ts'],
    { least: 4, figures: [figure('premature expiries', 'early', '= 0')] },
  ),
  {
    id: 'F15',
    title: 'Graceful stop under load',
    done: 'SIGTERM to API and worker processes with requests, streams and jobs in progress',
    run: tests(
      'Processes stopped with SIGTERM under load',
      ['test/processes/together.strain.test.ts'],
      {
        env: { PROVE_STOPS: '20', PROVE_PAUSE_MS: '100' },
        only: 'told to stop',
      },
    ),
    figures: [
      figure('stops', 'stops', '>= 20'),
      figure('requests dropped', 'dropped', '= 0'),
      figure('streams closed without a retry hint', 'wordless', '= 0'),
      figure('jobs lost', 'unfinished', '= 0'),
      figure('longest stop, s', 'stopMax', '<= 10'),
    ],
  },
  {
    id: 'F16',
    title: 'Late commits',
    done: 'concurrent writers, of whom the one with the older event commits last',
    run: 'live',
    figures: [
      figure('events', 'events', '>= 100000'),
      figure('missed', 'missed', '= 0'),
      figure('out of order', 'outOfOrder', '= 0'),
    ],
  },
  byTests(
    'F17',
    'Restore from an old backup',
    'the database is restored, or a standby that lacks changes is promoted, while the chain has ' +
      'advanced',
    [
      'test/journeys/payment-restore.strain.test.ts',
      'test/deploy/standby-takeover.strain.test.ts',
      'test/live/epoch.test.ts',
    ],
    { least: 13, figures: [simulated('simulated violations', 'violations', '= 0')] },
  ),
  byTests(
    'F18',
    'Disk full and pool exhausted',
    'the database’s disk is full; every connection is taken',
    ['test/processes/no-room.strain.test.ts', 'test/security/outages.strain.test.ts'],
    {
      least: 14,
      env: { PROVE_DISK: '1' },
      figures: [
        figure('changes checked', 'effects.checked', '>= 3'),
        figure('partial effects', 'effects.partial', '= 0'),
      ],
    },
  ),
  byTests(
    'F19',
    'Delegated payments while processes die',
    'workers and PostgreSQL are killed; the provider loses requests and responses',
    ['test/processes/payments-entrusted-kill.strain.test.ts'],
    { least: 1, env: { PROVE_PAYMENTS: '20', PROVE_KILLS: '20' } },
  ),
  highAvailability,
]
