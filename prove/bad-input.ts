/** Bad input: thirteen proofs. */
import { byTests, figure, type Proof, tests } from './kinds.ts'

export const badInput: Proof[] = [
  {
    id: 'B1',
    title: 'Requests from the document, spoilt',
    done: 'missing, extra, wrong type, boundary and one beyond, deep nesting, at every operation',
    run: tests('Fuzz', ['test/fuzz/contract.fuzz.test.ts'], { env: { FUZZ_REQUESTS: '50000' } }),
    figures: [
      figure('requests', 'requests', '>= 50000'),
      figure('operations reached', 'operations'),
      figure('answers of 500 and above', 'serverErrors', '= 0'),
      figure('answers that break the contract', 'contractProblems', '= 0'),
    ],
  },
  byTests(
    'B2',
    'Fields of the server’s own',
    'every one of them added to every body',
    ['test/security/input.test.ts'],
    { only: "caller's to set" },
  ),
  byTests('B3', 'Amounts', 'signs, zeros, exponents, spaces, digits of other scripts, 2^128', [
    'test/http/expenses-create.test.ts',
    'src/platform/values.test.ts',
    'test/http/policy-intents.test.ts',
  ]),
  byTests('B4', 'Sizes', '64 KiB and one byte, 100 MiB in chunks, 10,000 levels, long headers', [
    'test/security/limits.test.ts',
  ]),
  byTests('B5', 'Text', 'NUL, lone surrogates, overrides, combining marks, limits in code points', [
    'src/platform/text.test.ts',
    'test/http/expenses-comments.test.ts',
    'test/http/organizations.test.ts',
  ]),
  byTests('B6', 'Timestamps', 'days that are none, leap seconds, other zones, year 0 and 10000', [
    'src/platform/timestamp.test.ts',
  ]),
  byTests(
    'B7',
    'Idempotency keys',
    'missing, empty, long, broken lines, other body, route, tenant',
    ['test/http/idempotency.test.ts', 'test/http/idempotency-time.test.ts'],
  ),
  byTests(
    'B8',
    'Ids',
    'no UUIDs, zeros, upper case, those of another tenant',
    ['test/security/input.test.ts', 'test/security/tenants.test.ts'],
    { only: 'paths|ids of another|as a token, an id' },
  ),
  byTests(
    'B9',
    'Strings that do something elsewhere',
    'SQL, terminal, HTML and lookup strings, wildcards in searches',
    ['test/security/input.test.ts', 'test/http/admin-search.test.ts'],
    { only: 'elsewhere|part of|is exact' },
  ),
  byTests('B10', 'Prototypes and keys that come twice', '__proto__, constructor, duplicates', [
    'src/http/json-body.test.ts',
  ]),
  byTests('B11', 'Versions', 'older, newer and the same version, one after the other and at once', [
    'test/http/expenses-race.test.ts',
    'test/http/members-race.test.ts',
  ]),
  {
    id: 'B12',
    title: 'Every operation in every state',
    done: 'pairs of operation and state, and a thousand random sequences beside a reference model',
    run: 'expenses',
    figures: [
      figure('sequences', 'sequences', '>= 1000'),
      figure('acts', 'acts', '>= 76000'),
      figure('states reached', 'states'),
      figure('acts that ended otherwise than the model says', 'differing', '= 0'),
    ],
  },
  byTests('B13', 'Content types', 'thirty spellings, none of which brings an unchecked body', [
    'test/security/content-types.test.ts',
  ]),
]
