/** Faults: eighteen proofs. */
import { byTests, figure, from, type Proof, tests } from './kinds.ts'

const simulated = (label: string, of: string, target?: string) =>
  from('simulator', label, `signed.${of}`, target)

export const faults: Proof[] = [
  {
    id: 'F1',
    title: 'The matrix of crashes',
    done:
      'a worker is killed at each numbered point between claim and confirmation, twenty times; ' +
      'others at any moment of real payments, and in the simulator at any step',
    run: tests('Workers killed at numbered points', ['test/processes/crash-matrix.test.ts'], {
      env: { PROVE_CRASHES: '20' },
    }),
    figures: [
      figure('points', 'crashes.points', '>= 12'),
      figure('kills', 'crashes.kills', '>= 240'),
      figure('paid twice', 'crashes.doubles', '= 0'),
      figure('false states', 'crashes.falseStates', '= 0'),
      from('payments', 'kills at any moment', 'kills', '>= 1000'),
      from('payments', 'paid twice', 'doubles', '= 0'),
      from('payments', 'failed although they could move', 'failed', '= 0'),
      simulated('simulated crashes', 'faultsByKind.crash', '>= 240'),
      simulated('violations', 'violations', '= 0'),
    ],
  },
  byTests(
    'F2',
    'A lost answer',
    'a proxy forwards the transaction and drops the answer',
    ['test/journeys/payment-faults.test.ts'],
    {
      only: 'is lost|is away',
      figures: [
        figure('hashes of a nonce, at most', 'hashesMax', '= 1'),
        simulated('answers lost in the simulator', 'faultsByKind.node_answer_lost'),
        simulated('violations', 'violations', '= 0'),
      ],
    },
  ),
  {
    id: 'F3',
    title: 'Deterministic simulation',
    done: '20,000 seeds with every fault that there is, the guard of the contract off',
    run: 'simulator',
    figures: [
      figure('seeds', 'signed.seeds', '>= 20000'),
      figure('payments', 'signed.payments', '>= 100000'),
      figure('faults', 'signed.faults', '>= 1000000'),
      figure('violations', 'signed.violations', '= 0'),
      figure('seeds a second', 'signed.seedsPerSecond'),
      figure('payments that a provider sends', 'entrusted.payments', '>= 100000'),
      figure('faults there', 'entrusted.faults', '>= 1000000'),
      figure('violations there', 'entrusted.violations', '= 0'),
    ],
  },
  {
    id: 'F4',
    title: 'Duplicate workers',
    done: 'the same job at two workers, workers that stall past their lease and go on',
    run: 'simulator',
    figures: [
      figure('jobs delivered twice', 'signed.faultsByKind.duplicate_job', '> 0'),
      figure('workers stalled', 'signed.faultsByKind.stalled_worker', '> 0'),
      figure('writes of stale workers, all refused', 'signed.staleWrites', '> 0'),
      figure('violations', 'signed.violations', '= 0'),
    ],
  },
  {
    id: 'F5',
    title: 'Sabotage',
    done: 'ten wrong variants of the engine, each of which the simulator must catch',
    run: 'simulator',
    figures: ['signed', 'entrusted'].flatMap((half) =>
      ['0', '1', '2', '3', '4'].flatMap((n) => [
        figure('variant', `${half}.variants.${n}.variant`),
        figure('caught after seeds', `${half}.variants.${n}.seedsToDetection`, '> 0'),
      ]),
    ),
  },
  {
    id: 'F6',
    title: 'PostgreSQL chaos',
    done: 'stopped at once every 5 to 10 s, down for up to 2 s, an API process killed beside it',
    run: 'chaos',
    figures: [
      figure('acknowledged writes', 'acknowledged', '>= 10000'),
      figure('lost', 'lost', '= 0'),
      figure('done twice', 'twice', '= 0'),
      figure('jobs that did not end', 'unfinished', '= 0'),
      figure('stops of PostgreSQL', 'databaseStops', '> 0'),
      figure('API processes killed', 'apisKilled', '> 0'),
    ],
  },
  byTests(
    'F7',
    'Reorganisations',
    'of every depth up to finality, with and without re-inclusion, before and after the broadcast',
    ['test/journeys/payment-reorganisations.test.ts', 'test/chain/reorganisations.test.ts'],
    {
      figures: [
        simulated('simulated', 'faultsByKind.reorganisation'),
        simulated(
          'simulated, without re-inclusion',
          'faultsByKind.reorganisation_without_reinclusion',
        ),
        simulated('violations', 'violations', '= 0'),
      ],
    },
  ),
  byTests(
    'F8',
    'A lagging node',
    'one node blocks behind, with an old nonce and old balances',
    [
      'test/journeys/payment-liars.test.ts',
      'test/adapters/payment-nodes.test.ts',
      'test/chain/slow-nodes.test.ts',
      'test/chain/heights.test.ts',
    ],
    {
      env: { PROVE_LAGS: '20' },
      only: 'lags|behind|height|anchor|short ranges|newest block',
      figures: [
        figure('lags tried, 1 to 20 blocks', 'lags.tried', '>= 20'),
        figure('wrong decisions', 'wrongDecisions', '= 0'),
        simulated('looks at a lagging node', 'faultsByKind.node_lagging'),
        simulated('violations', 'violations', '= 0'),
      ],
    },
  ),
  byTests(
    'F9',
    'A lying node',
    'made-up receipts, wrong status, wrong log, another chain, nothing where something is',
    ['test/journeys/payment-liars.test.ts', 'test/adapters/payment-evidence.test.ts'],
    {
      figures: [
        simulated('lies in the simulator', 'faultsByKind.node_lying'),
        simulated('believed', 'violations', '= 0'),
      ],
    },
  ),
  byTests(
    'F10',
    'Stuck, and fees that spike',
    'nobody mines for five minutes; the base fee is ten times as much, at once and later',
    ['test/journeys/payment-faults.test.ts', 'test/http/payments-replacement.test.ts'],
    {
      only: 'nobody mines|signed again|replace',
      figures: [
        figure('replacements', 'fees.replacements', '> 0'),
        figure('highest fee, of the first', 'fees.ratioMax', '<= 5'),
        simulated('spikes in the simulator', 'faultsByKind.fee_spike'),
        simulated('violations', 'violations', '= 0'),
      ],
    },
  ),
  byTests(
    'F11',
    'A token that refuses',
    'USDC paused, vault or recipient blacklisted, before and during the broadcast',
    ['test/journeys/payment-drift.test.ts', 'test/http/payments-again.test.ts'],
    { only: 'before anything is sent|while it is in flight|the token refuses' },
  ),
  byTests(
    'F12',
    'A policy that drifts',
    'the owner reconfigures or pauses between approval, queue and broadcast',
    [
      'test/journeys/payment-drift.test.ts',
      'test/http/payments-void.test.ts',
      'test/http/payments-waiting.test.ts',
      'test/http/payments-again.test.ts',
    ],
    { only: 'owner|policy' },
  ),
  byTests(
    'F13',
    'Providers that are away',
    'time-outs, 500, 429 and garbage of Privy, Circle, push, identity and model providers',
    [
      'test/adapters/provider-outages.test.ts',
      'test/adapters/executor-circle.test.ts',
      'test/http/wallets-privy.test.ts',
      'test/http/wallet-exports-privy.test.ts',
      'test/push/web-push.test.ts',
      'test/push/deliver.test.ts',
      'test/security/token-keys.test.ts',
      'test/adapters/model-analyst-outages.test.ts',
      'test/model/second-reader.test.ts',
      'test/http/executor-crash.test.ts',
    ],
    {
      figures: [
        figure('providers', 'outages.providers', '>= 5'),
        figure('each in so many troubles, together', 'outages.cases', '>= 20'),
        figure('duplicates at a provider', 'outages.duplicates', '= 0'),
        figure('longest until it went on, ms', 'outages.recoveredMaxMs', '<= 10000'),
      ],
    },
  ),
  byTests(
    'F14',
    'Clocks that are wrong',
    'a worker ten minutes ahead or behind, the database’s time true',
    ['test/journeys/clocks.test.ts'],
    { figures: [figure('ended early', 'early', '= 0')] },
  ),
  {
    id: 'F15',
    title: 'A stop under load',
    done: 'SIGTERM to an API and a worker process while requests, streams and jobs are in hand',
    run: tests('Stops under load', ['test/processes/together.test.ts'], {
      env: { PROVE_STOPS: '20' },
      only: 'told to stop',
    }),
    figures: [
      figure('stops', 'stops', '>= 20'),
      figure('requests dropped', 'dropped', '= 0'),
      figure('streams that ended without a word', 'wordless', '= 0'),
      figure('jobs lost', 'unfinished', '= 0'),
      figure('longest stop, s', 'stopMax', '<= 10'),
    ],
  },
  {
    id: 'F16',
    title: 'A late commit',
    done: 'writers whose older event commits last, readers that poll and stream',
    run: 'live',
    figures: [
      figure('events', 'events', '>= 100000'),
      figure('missed', 'missed', '= 0'),
      figure('out of order', 'outOfOrder', '= 0'),
    ],
  },
  byTests(
    'F17',
    'An old backup',
    'the database is put back while the chain has gone on',
    ['test/journeys/payment-restore.test.ts', 'test/live/epoch.test.ts'],
    { figures: [simulated('violations in the simulator', 'violations', '= 0')] },
  ),
  byTests(
    'F18',
    'No room left',
    'the disk of the database is full; every connection is taken',
    ['test/processes/no-room.test.ts', 'test/security/outages.test.ts'],
    { env: { PROVE_DISK: '1' }, figures: [figure('partial effects', 'partialEffects', '= 0')] },
  ),
]
