/**
 * Lines that a reviewer broke without a test noticing, each with the tests that must notice now.
 * `npm run mutate:ts -- lines` breaks them one at a time.
 */
export type BrokenLine = {
  what: string
  file: string
  find: string
  replace: string
  tests: readonly string[]
}

const SPENDING = 'src/treasury/spending.ts'
/** A view; it is replaced in the database that test files clone. */
const LIVE_PAYMENTS = 'migrations/0034_live_payments.sql'
const LANES = 'src/executor/lanes.store.ts'
const HELD = 'test/payments/held-money.test.ts'
const FENCING = 'test/payments/fencing.test.ts'
const AUTHORITY = 'src/payments/evidence/authority.test.ts'
const PREPARE = 'src/approvals/prepare-approval.ts'
const POLICY_TESTS = 'test/http/approvals-prepare-policy.test.ts'
const PROOF_TESTS = 'packages/proof/src/verify-payment-facts.test.ts'

export const BROKEN_LINES: readonly BrokenLine[] = [
  {
    what: 'the lifetime cap forgets what was spent',
    file: SPENDING,
    find: 'policy.lifetimeCap - vault.spentTotal - held.held',
    replace: 'policy.lifetimeCap - held.held',
    tests: ['src/treasury/spending.test.ts'],
  },
  {
    what: 'the lifetime cap forgets what was spent, over HTTP',
    file: SPENDING,
    find: 'policy.lifetimeCap - vault.spentTotal - held.held',
    replace: 'policy.lifetimeCap - held.held',
    tests: [HELD],
  },
  {
    what: 'the policy ends an instant late',
    file: SPENDING,
    find: 'policy.expiresAt <= now',
    replace: 'policy.expiresAt < now',
    tests: ['src/treasury/spending.test.ts'],
  },
  {
    what: 'a blocked payment with an open attempt holds no money',
    file: LIVE_PAYMENTS,
    find: "\n  or (state = 'blocked' and has_open_attempt)",
    replace: '',
    tests: [HELD],
  },
  {
    what: 'every blocked payment holds money',
    file: LIVE_PAYMENTS,
    find: "(state = 'blocked' and has_open_attempt)",
    replace: "(state = 'blocked')",
    tests: [HELD],
  },
  {
    what: 'what holds money is read from a list without blocked payments',
    file: 'src/treasury/vaults.store.ts',
    find: 'from live_payments p left join',
    replace: "from (select * from payments where state <> 'blocked') p left join",
    tests: [HELD],
  },
  {
    what: 'a blocked payment with an open attempt is not live',
    file: 'src/payments/payment.machine.ts',
    find: "payment.state === 'blocked' && payment.hasUnclearedAttempt",
    replace: 'false',
    tests: ['test/http/live-payments.test.ts'],
  },
  {
    what: 'a recheck counts a payment against itself',
    file: 'src/payments/block-payment.ts',
    find: 'held: held.held - payment.amount,',
    replace: 'held: held.held,',
    tests: [HELD],
  },
  {
    what: 'an automatic payment of an expense that asked for a signature',
    file: 'src/payments/evidence/authority.ts',
    find: "payment.mode === 'approved' || authority.requestedMode === 'automatic',",
    replace: 'true,',
    tests: [AUTHORITY],
  },
  {
    what: 'a deadline is over an instant late',
    file: 'src/payments/evidence/authority.ts',
    find: 'payment.deadline <= now',
    replace: 'payment.deadline < now',
    tests: [AUTHORITY],
  },
  {
    what: 'the nonce of stored bytes is not compared',
    file: 'src/payments/lane-store/record-signatures.ts',
    find: 'signed.from !== lane.address || signed.nonce !== nonce',
    replace: 'signed.from !== lane.address',
    tests: [FENCING],
  },
  {
    what: 'the sender of stored bytes is not compared',
    file: 'src/payments/lane-store/record-signatures.ts',
    find: 'signed.from !== lane.address || signed.nonce !== nonce',
    replace: 'signed.nonce !== nonce',
    tests: [FENCING],
  },
  {
    what: 'the fencing token is not compared when the lane is locked',
    file: LANES,
    find: '\n      and lane_epoch = ',
    replace: '\n      and lane_epoch >= 0 and 0 <= ',
    tests: [FENCING],
  },
  {
    what: 'the fencing token is not compared when a lease is extended',
    file: LANES,
    find: '{laneId} and lane_epoch = ',
    replace: '{laneId} and lane_epoch >= 0 and 0 <= ',
    tests: [FENCING],
  },
  {
    what: 'a claim takes a lease that is alive',
    file: LANES,
    find: 'and (lease_until is null or lease_until <= now())',
    replace: '',
    tests: [FENCING],
  },
  {
    what: "a payment's earlier life is written to",
    file: 'src/payments/lane-store/fenced-write.ts',
    find: 'one.id === id && one.epoch === epoch && one.state === state',
    replace: 'one.id === id && one.state === state',
    tests: [FENCING],
  },
  {
    what: 'verify: an approver that the policy does not list',
    file: 'packages/proof/src/verify-evidence.ts',
    find: "says('approver in the policy', isApprover,",
    replace: "says('approver in the policy', true,",
    tests: [PROOF_TESTS],
  },
  {
    what: "verify: an amount at the bundle's cap",
    file: 'packages/proof/src/verify-evidence.ts',
    find: '<= BigInt(cap)',
    replace: '< BigInt(cap)',
    tests: [PROOF_TESTS],
  },
  {
    what: 'verify: an amount at the cap on the chain',
    file: 'packages/proof/src/verify-payment-facts.ts',
    find: 'BigInt(revision.amountBaseUnits) <= cap',
    replace: 'BigInt(revision.amountBaseUnits) < cap',
    tests: [PROOF_TESTS],
  },
  {
    what: 'verify: a payment in the second of its deadline',
    file: 'packages/proof/src/verify-payment-facts.ts',
    find: 'timeSeconds <= deadline',
    replace: 'timeSeconds < deadline',
    tests: [PROOF_TESTS],
  },
  {
    what: 'verify: a payment in the second in which the policy ends',
    file: 'packages/proof/src/verify-payment-facts.ts',
    find: 'timeSeconds < policy.expiresAtSeconds',
    replace: 'timeSeconds <= policy.expiresAtSeconds',
    tests: [PROOF_TESTS],
  },
  {
    what: 'verify: a deadline at the end of the policy',
    file: 'packages/proof/src/verify-evidence.ts',
    find: 'timestampToSeconds(payment.deadline) <= timestampToSeconds(policy.expiresAt)',
    replace: 'timestampToSeconds(payment.deadline) < timestampToSeconds(policy.expiresAt)',
    tests: [PROOF_TESTS],
  },
  {
    what: "no approval whose deadline is the policy's end",
    file: PREPARE,
    find: 'if (deadline > policyExpiresAt)',
    replace: 'if (deadline >= policyExpiresAt)',
    tests: [POLICY_TESTS],
  },
  {
    what: 'a deadline that is not rounded to whole seconds before it is compared',
    file: PREPARE,
    find: 'const deadline = secondsToTimestamp(timestampToSeconds(end))',
    replace: 'const deadline = end',
    tests: [POLICY_TESTS],
  },
  {
    what: "no approval in a policy's last 59 seconds",
    file: PREPARE,
    find: 'if (deadline < earliest)',
    replace: 'if (deadline <= earliest)',
    tests: [POLICY_TESTS],
  },
  {
    what: 'an invalidation with one confirmation too few',
    file: 'src/approvals/withdraw-approval.ts',
    find: 'head.number - receipt.blockNumber + 1 >= chain.confirmations',
    replace: 'head.number - receipt.blockNumber + 2 >= chain.confirmations',
    tests: ['test/payments/invalidation.test.ts'],
  },
  {
    what: 'an invalidation that needs one confirmation more',
    file: 'src/approvals/withdraw-approval.ts',
    find: 'head.number - receipt.blockNumber + 1 >= chain.confirmations',
    replace: 'head.number - receipt.blockNumber >= chain.confirmations',
    tests: ['test/payments/invalidation.test.ts'],
  },
  {
    what: 'the hybrid form of a point is taken',
    file: 'src/wallets/recipient-key.ts',
    find: 'point.length === POINT_BYTES && point[0] === UNCOMPRESSED',
    replace: 'point.length === POINT_BYTES',
    tests: ['src/wallets/recipient-key.test.ts'],
  },
  {
    what: 'each IPv6 address counts by itself',
    file: 'src/http/rate-limits.ts',
    find: 'normalizeIP(request.ip)',
    replace: 'request.ip',
    tests: ['test/security/rate-limits.test.ts'],
  },
  {
    what: 'a member is new an instant too long',
    file: 'src/payments/automatic-limits.ts',
    find: 'standing.memberForSeconds < rules',
    replace: 'standing.memberForSeconds <= rules',
    tests: ['src/payments/automatic-limits.test.ts'],
  },
  {
    what: 'an automatic sum may not reach its limit',
    file: 'src/payments/automatic-limits.ts',
    find: 'total > limit',
    replace: 'total >= limit',
    tests: ['src/payments/automatic-limits.test.ts'],
  },
]
