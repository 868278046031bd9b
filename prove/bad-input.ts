/** Bad input: thirteen proofs. */
import { byTests, figure, MANY_INPUTS, type Proof, tests } from './kinds.ts'

export const badInput: Proof[] = [
  {
    id: 'B1',
    title: 'Fuzzing from the OpenAPI document',
    done:
      'missing and extra fields, wrong types, values at and beyond limits and deep nesting, at ' +
      'every operation; the chain is unavailable throughout',
    run: tests(
      '50,000 requests generated from openapi.json',
      ['test/fuzz/contract-fuzz.strain.test.ts'],
      {
        env: { FUZZ_REQUESTS: '50000' },
      },
    ),
    figures: [
      figure('requests', 'requests', '>= 50000'),
      figure('operations that succeeded', 'operations', '>= 88'),
      figure('5xx other than 503', 'serverErrors', '= 0'),
      figure('503 without an unavailable dependency', 'unexpectedUnavailable', '= 0'),
      figure('503 declared for their operation', 'declaredUnavailable'),
      figure('by operation', 'declaredUnavailableBy'),
      figure('503 under the default response', 'defaultUnavailable'),
      figure('by operation', 'defaultUnavailableBy'),
      figure('responses that break the contract', 'contractProblems', '= 0'),
    ],
  },
  byTests(
    'B2',
    'Mass assignment',
    'every field that only the server sets, added to every body',
    ['test/security/input.test.ts'],
    { least: 54, only: "caller's to set" },
  ),
  byTests(
    'B3',
    'Amounts',
    'signs, leading zeros, exponents, spaces, digits of other scripts, 2^128',
    [
      'test/http/expenses-create.test.ts',
      'src/platform/values.test.ts',
      'test/http/policy-intents.test.ts',
      'test/http/policy-limits.test.ts',
    ],
    { least: 363, env: MANY_INPUTS },
  ),
  byTests(
    'B4',
    'Sizes',
    'a body of 64 KiB and one byte, 100 MiB in chunks, 10,000 levels of nesting, long headers',
    ['test/security/limits.test.ts'],
    { least: 20 },
  ),
  byTests(
    'B5',
    'Unicode text',
    'NUL, lone surrogates, direction overrides, combining marks, limits in code points',
    [
      'src/platform/text.test.ts',
      'test/http/expenses-comments.test.ts',
      'test/http/organizations.test.ts',
    ],
    { least: 152 },
  ),
  byTests(
    'B6',
    'Timestamps',
    'impossible dates, leap seconds, other time zones, the years 0 and 10000',
    ['src/platform/timestamp.test.ts'],
    { least: 66, env: MANY_INPUTS },
  ),
  byTests(
    'B7',
    'Idempotency-Key header',
    'missing, empty, too long, with line breaks, reused for another body, route or tenant',
    ['test/http/idempotency.test.ts', 'test/http/idempotency-time.test.ts'],
    { least: 36 },
  ),
  byTests(
    'B8',
    'Ids',
    'malformed UUIDs, all zeros, upper case, ids of another tenant',
    ['test/security/input.test.ts', 'test/security/tenants.test.ts'],
    { least: 56, only: 'paths|ids of another|as a token, an id' },
  ),
  byTests(
    'B9',
    'Injection strings',
    'SQL, terminal, HTML and lookup strings, wildcards in searches',
    ['test/security/input.test.ts', 'test/http/admin-search.test.ts'],
    { least: 58, only: 'elsewhere|part of|is exact' },
  ),
  byTests(
    'B10',
    'Prototype pollution and duplicate keys',
    '__proto__, constructor and repeated keys in JSON',
    ['src/http/json-body.test.ts'],
    { least: 74, env: MANY_INPUTS },
  ),
  byTests(
    'B11',
    'Version conflicts',
    'older, newer and current versions, in sequence and concurrently',
    ['test/http/expenses-race.strain.test.ts', 'test/http/members-race.strain.test.ts'],
    { least: 31 },
  ),
  {
    id: 'B12',
    title: 'Every operation in every state',
    done: 'a thousand random sequences of operations, compared with a reference model step by step',
    run: 'expenses',
    figures: [
      figure('sequences', 'sequences', '>= 1000'),
      figure('operations', 'acts', '>= 76000'),
      figure('states reached', 'states', '>= 14'),
      figure('operations whose outcome differs from the model', 'differing', '= 0'),
    ],
  },
  byTests(
    'B13',
    'Content types',
    'thirty spellings of the header; no handler gets an unvalidated body',
    ['test/security/content-types.test.ts'],
    { least: 65 },
  ),
]
