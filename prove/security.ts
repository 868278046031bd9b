/** Security: twenty proofs. */
import { byTests, figure, type Proof } from './kinds.ts'

export const security: Proof[] = [
  byTests('S1', 'Tenants', 'every route with every foreign identity and every kind of id', [
    'test/security/tenants.test.ts',
    'test/security/wallet-holders.test.ts',
  ]),
  byTests('S2', 'Row-level security', 'as the application without a scope, and in another’s', [
    'test/security/row-level-security.test.ts',
    'test/security/expense-rows.test.ts',
    'test/security/treasury-rows.test.ts',
    'test/security/proof-rows.test.ts',
    'test/security/foreign-keys.test.ts',
    'test/security/observer.test.ts',
  ]),
  byTests('S3', 'Realms', 'tokens of one realm at every route of the other', [
    'test/security/realms.test.ts',
  ]),
  byTests('S4', 'Tokens', 'algorithms, keys, claims and headers that are not ours', [
    'test/security/tokens.test.ts',
    'test/security/token-claims.test.ts',
    'test/security/token-keys.test.ts',
    'test/http/identity-tokens.test.ts',
  ]),
  byTests('S5', 'Roles', 'each role at each route', [
    'test/security/roles.test.ts',
    'src/access/permissions.test.ts',
  ]),
  byTests(
    'S6',
    'Revocation',
    'during a stream, between preparing and signing, between queue and broadcast',
    [
      'test/live/stream-access.test.ts',
      'test/live/fan-out.test.ts',
      'test/http/payments-void.test.ts',
      'test/http/payments-approval-ended.test.ts',
      'test/http/members-race.test.ts',
    ],
    {
      only: 'ends|revoked|signature|role is gone|in flight|revoking a member',
      figures: [figure('slowest stream to end, s', 'streamEndsMax', '<= 15')],
    },
  ),
  byTests(
    'S7',
    'Changed approvals',
    'each signed field at the API, in the rows and on the way out',
    [
      'test/http/payments-tamper.test.ts',
      'test/http/payments-replacement.test.ts',
      'test/adapters/payment-call.test.ts',
    ],
  ),
  byTests(
    'S8',
    'Another recipient',
    'the row is changed after the approval',
    [
      'test/http/payments-tamper.test.ts',
      'test/http/payments-replacement.test.ts',
      'test/journeys/payment-batch.test.ts',
    ],
    { only: 'rows' },
  ),
  byTests('S9', 'Silent inclusion', 'what a new policy adds stands in `changes`', [
    'test/http/policy-intents.test.ts',
    'src/treasury/policy.test.ts',
  ]),
  byTests('S10', 'Addresses of others', 'literals, redirects, names that change, metadata hosts', [
    'test/push/hostile.test.ts',
    'test/push/web-push.test.ts',
    'src/adapters/push/push-endpoint.test.ts',
    'src/adapters/push/public-addresses.test.ts',
  ]),
  byTests(
    'S11',
    'The ceremony of an export',
    'replayed, exchanged, late, cancelled, at once, stale',
    [
      'test/http/wallet-exports.test.ts',
      'test/http/wallet-exports-refused.test.ts',
      'test/http/wallet-exports-time.test.ts',
      'test/processes/export-kill.test.ts',
    ],
  ),
  byTests(
    'S12',
    'The seal of an export',
    'vectors of RFC 9180, points that are none, changed bits',
    ['test/adapters/hpke.test.ts', 'src/adapters/local/seal-to-recipient.test.ts'],
  ),
  byTests(
    'S13',
    'Canaries',
    'secrets in every field that takes one, on every way out, all logged',
    [
      'test/security/logs.test.ts',
      'test/security/wallet-canaries.test.ts',
      'test/security/admin-canary.test.ts',
    ],
  ),
  byTests(
    'S14',
    'Prompt injection',
    'hostile purposes and comments, and a second reader that obeys',
    [
      'test/model/hostile-purposes.test.ts',
      'test/adapters/model-analyst-hostile.test.ts',
      'src/adapters/model/model-prompt.test.ts',
    ],
  ),
  byTests(
    'S15',
    'Invitations',
    'guessed, used twice, raced for by fifty, revoked, expired',
    [
      'test/security/invitation-guesses.test.ts',
      'test/http/invitations-accept.test.ts',
      'test/security/rate-limits.test.ts',
    ],
    {
      env: { PROVE_GUESSES: '100000' },
      only: 'guess|invitation|accept|token|race',
      figures: [
        figure('guesses', 'guesses', '>= 100000'),
        figure('failures that can be told apart', 'distinguishable', '= 0'),
        figure('joined by a guess', 'joinedByGuess', '= 0'),
        figure('racing for one', 'raced', '>= 50'),
        figure('of them joined', 'raceAccepts', '= 1'),
      ],
    },
  ),
  byTests(
    'S16',
    'Enumeration',
    'what is there and what is not, a thousand times each',
    ['test/security/enumeration.test.ts'],
    {
      env: { PROVE_TIMINGS: '1000' },
      figures: [
        figure('pairs', 'enumeration.pairs', '> 0'),
        figure('timings of each', 'enumeration.timings', '>= 1000'),
        figure('bytes that differ', 'enumeration.bytesDiffering', '= 0'),
        figure('smallest p-value', 'enumeration.pMin', '> 0.001'),
        figure('largest difference of medians, µs', 'enumeration.differenceMax'),
      ],
    },
  ),
  byTests('S17', 'The audit trail', 'every change and every look of an operator', [
    'test/http/audit.test.ts',
    'test/http/audit-chain.test.ts',
    'test/http/audit-digest.test.ts',
    'test/journeys/audit-anchors.test.ts',
    'test/http/audit-role.test.ts',
    'test/http/audit-identity.test.ts',
    'test/http/admin-audit.test.ts',
    'test/processes/cli-audit.test.ts',
    'test/processes/cli-audit-chain.test.ts',
  ]),
  byTests(
    'S18',
    'The surface of production',
    'NODE_ENV=production: no development part, no ledger proofs',
    ['test/processes/refusals.test.ts', 'test/http/ledger-proofs.test.ts'],
    { only: 'roduction' },
  ),
  byTests(
    'S19',
    'Vaults that pretend',
    'wrong owner, token, hash, code, proxy, chain, transaction',
    ['test/http/look-alike-vaults.test.ts', 'test/http/vault-deployments.test.ts'],
  ),
  byTests(
    'S20',
    'Supply chain',
    'every package locked by its hash and installed as locked, no install script, a list of all',
    ['test/prove/supply-chain.test.ts', 'test/tidy.test.ts'],
    {
      only: 'packages|dependencies',
      figures: [
        figure('packages', 'supply.packages', '> 0'),
        figure('without integrity', 'supply.unlocked', '= 0'),
        figure('installed otherwise than locked', 'supply.differing', '= 0'),
        figure('with an install script that may run', 'supply.scripts', '= 0'),
        figure('known to be vulnerable, high or critical', 'supply.vulnerable'),
      ],
    },
  ),
]
