/** The ten promises to users, each with the figures that support it. */
import { from, type Guarantee } from './kinds.ts'
import { LEAST } from './security.ts'

const simulated = (label: string, of: string, target?: string) =>
  from('simulator', label, `signed.${of}`, target)

export const promises: Guarantee[] = [
  {
    id: 'G1',
    title: 'An expense is paid at most once, despite crashes, retries, reorgs and duplicate jobs',
    figures: [
      simulated('simulated payments', 'payments', '>= 100000'),
      simulated('injected faults', 'faults', '>= 1000000'),
      simulated('double payments', 'violationsByKind.double_payment', '= 0'),
      from('payments', 'payments by real processes', 'payments', '>= 500'),
      from('payments', 'process kills', 'kills', '>= 1000'),
      from('payments', 'double payments', 'doubles', '= 0'),
    ],
  },
  {
    id: 'G2',
    title:
      'A payment is shown as paid only after the transfer is final, and as failed only when the ' +
      'transfer can no longer happen',
    figures: [
      simulated('false `confirmed`, simulated', 'violationsByKind.false_confirmed', '= 0'),
      simulated('false `failed`, simulated', 'violationsByKind.false_failed', '= 0'),
      from('payments', 'false states, real processes', 'falseStates', '= 0'),
    ],
  },
  {
    id: 'G3',
    title: 'After faults end, every payment reaches a final state or waits for a person',
    figures: [
      simulated('unfinished, simulated', 'violationsByKind.unfinished', '= 0'),
      simulated('nonce gaps, simulated', 'violationsByKind.nonce_gap', '= 0'),
      from('payments', 'unfinished, real processes', 'unfinished', '= 0'),
      from('payments', 'slowest end after the last kill, s', 'healedMax', '<= 600'),
    ],
  },
  {
    id: 'G4',
    title: 'An acknowledged write survives kill -9 of PostgreSQL and of the API',
    figures: [
      from('chaos', 'writes acknowledged, PostgreSQL stopped', 'acknowledged', '>= 10000'),
      from('chaos', 'lost', 'lost', '= 0'),
      from('together', 'writes acknowledged, API killed', 'acknowledged', '>= 10000'),
      from('together', 'lost', 'lost', '= 0'),
    ],
  },
  {
    id: 'G5',
    title: 'No caller reads or writes data of another tenant or another realm',
    figures: [
      from('S1', 'route and identity pairs', 'tests.passed', `>= ${LEAST.S1}`),
      from('S1', 'leaks', 'tests.failed', '= 0'),
      from('S3', 'pairs across realms', 'tests.passed', `>= ${LEAST.S3}`),
      from('S3', 'accepted', 'tests.failed', '= 0'),
    ],
  },
  {
    id: 'G6',
    title: 'What the approver signed is what is executed, byte for byte',
    figures: [
      from('S7', 'changes tried', 'tests.passed', `>= ${LEAST.S7}`),
      from('S7', 'executed', 'tests.failed', '= 0'),
      from('contracts', 'fields changed on chain', /binding: \w+_when\w+IsAnother/, '>= 14'),
    ],
  },
  {
    id: 'G7',
    title: 'Requests with the same Idempotency-Key have one effect',
    figures: [
      from('L4', 'equal requests', 'storm.requests', '>= 80000'),
      from('L4', 'effects of a key, at most', 'storm.effectsMax', '= 1'),
      from('L4', 'keys with differing answers', 'storm.divergent', '= 0'),
      from('together', 'effects done twice while processes were killed', 'twice', '= 0'),
    ],
  },
  {
    id: 'G8',
    title: 'The vault loses no more than its policy allows, even if the whole server is hostile',
    figures: [
      from('contracts', 'calls', 'calls', '>= 1000000'),
      from('contracts', 'runs of each property', 'fuzzRuns', '>= 10000'),
      from('contracts', 'failing', 'tests.failed', '= 0'),
      from('mutants', 'mutants killed, %', 'share', '>= 95'),
    ],
  },
  {
    id: 'G9',
    title: 'A live client that reconnects with its cursor misses no event and sees them in order',
    figures: [
      from('live', 'events', 'events', '>= 100000'),
      from('live', 'missed', 'missed', '= 0'),
      from('live', 'out of order', 'outOfOrder', '= 0'),
      from('together', 'missed while processes were killed', 'missed', '= 0'),
    ],
  },
  {
    id: 'G10',
    title:
      'Bad input causes no 500, no stack trace and no secret in a log; 503 is answered only ' +
      'while a dependency is unavailable',
    figures: [
      from('B1', 'requests', 'requests', '>= 50000'),
      from('B1', '5xx other than 503', 'serverErrors', '= 0'),
      from('B1', '503 without an unavailable dependency', 'unexpectedUnavailable', '= 0'),
      from('B1', '503 because the chain was unavailable', 'unavailable'),
      from('S13', 'checks for canary secrets', 'tests.passed', `>= ${LEAST.S13}`),
      from('S13', 'found', 'tests.failed', '= 0'),
    ],
  },
]
