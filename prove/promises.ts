/** The ten promises, each with the figures that carry it. */
import { from, type Vow } from './kinds.ts'

const simulated = (label: string, of: string, target?: string) =>
  from('simulator', label, `signed.${of}`, target)

export const promises: Vow[] = [
  {
    id: 'G1',
    title: 'An expense is paid at most once, whatever crashes, retries, reorganises or repeats',
    figures: [
      simulated('payments in the simulator', 'payments', '>= 100000'),
      simulated('faults', 'faults', '>= 1000000'),
      simulated('paid twice or worse', 'violations', '= 0'),
      from('payments', 'real payments', 'payments', '>= 500'),
      from('payments', 'kills of processes', 'kills', '>= 1000'),
      from('payments', 'paid twice', 'doubles', '= 0'),
    ],
  },
  {
    id: 'G2',
    title: 'Paid is never said of money that did not move, failed never of money that did or can',
    figures: [
      simulated('false in the simulator', 'violations', '= 0'),
      from('payments', 'false in real processes', 'falseStates', '= 0'),
    ],
  },
  {
    id: 'G3',
    title: 'Every payment ends, or waits for a person, once faults have healed',
    figures: [
      simulated('unfinished in the simulator', 'violations', '= 0'),
      from('payments', 'unfinished in real processes', 'unfinished', '= 0'),
      from('payments', 'slowest to end after the last kill, s', 'healedMax', '<= 600'),
    ],
  },
  {
    id: 'G4',
    title: 'An acknowledged write survives kill -9 of PostgreSQL and of the API',
    figures: [
      from('chaos', 'acknowledged', 'acknowledged', '>= 10000'),
      from('chaos', 'lost', 'lost', '= 0'),
      from('together', 'acknowledged by processes that were killed', 'acknowledged', '> 0'),
      from('together', 'lost', 'lost', '= 0'),
    ],
  },
  {
    id: 'G5',
    title: 'Nobody reads or writes across tenants or realms',
    figures: [
      from('S1', 'pairs of route and identity', 'tests.passed', '> 0'),
      from('S1', 'leaks', 'tests.failed', '= 0'),
      from('S3', 'pairs across realms', 'tests.passed', '> 0'),
      from('S3', 'accepted', 'tests.failed', '= 0'),
    ],
  },
  {
    id: 'G6',
    title: 'What the approver signed is what is executed, byte for byte',
    figures: [
      from('S7', 'changes tried', 'tests.passed', '> 0'),
      from('S7', 'executed', 'tests.failed', '= 0'),
      from('contracts', 'fields changed on the chain', /binding: \w+_when\w+IsAnother/, '>= 11'),
    ],
  },
  {
    id: 'G7',
    title: 'The same Idempotency-Key has one effect',
    figures: [
      from('L4', 'equal requests', 'storm.requests', '>= 80000'),
      from('L4', 'effects of a key, at most', 'storm.effectsMax', '= 1'),
      from('L4', 'keys with differing answers', 'storm.divergent', '= 0'),
      from('together', 'effects done twice while processes were killed', 'twice', '= 0'),
    ],
  },
  {
    id: 'G8',
    title: 'The vault loses no more than its policy allows, even with the whole server hostile',
    figures: [
      from('contracts', 'calls', 'calls', '>= 1000000'),
      from('contracts', 'runs of each property', 'fuzzRuns', '>= 10000'),
      from('contracts', 'failing', 'tests.failed', '= 0'),
      from('mutants', 'mutants killed, %', 'share', '>= 95'),
    ],
  },
  {
    id: 'G9',
    title: 'A client that comes back with its cursor misses nothing and sees nothing out of order',
    figures: [
      from('live', 'events', 'events', '>= 100000'),
      from('live', 'missed', 'missed', '= 0'),
      from('live', 'out of order', 'outOfOrder', '= 0'),
      from('together', 'missed while processes were killed', 'missed', '= 0'),
    ],
  },
  {
    id: 'G10',
    title: 'Bad input never gives a 5xx, a stack trace or a secret in a log',
    figures: [
      from('B1', 'requests', 'requests', '>= 50000'),
      from('B1', 'answers of 500 and above', 'serverErrors', '= 0'),
      from('S13', 'checks for canaries', 'tests.passed', '> 0'),
      from('S13', 'found', 'tests.failed', '= 0'),
    ],
  },
]
