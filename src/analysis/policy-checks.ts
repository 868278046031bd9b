/**
 * Checks whether the vault contract would execute the payment now, with all pending payments. The
 * limits are those of the contract: caps are inclusive, the policy's expiry is exclusive.
 */
import { checksummed } from '@countersign/proof/values.ts'
import type { PolicyTerms } from '#treasury/policy.ts'
import { type Check, check, dayOf, fail, money, pass, secondsBetween, warn } from './check.ts'
import type { Facts } from './facts.ts'

const EXPIRY_WARN_SECONDS = 3600
const EXPIRY_FAIL_SECONDS = 60

/** Without a policy the check can neither pass nor fail the expense, so it warns. */
const underPolicy =
  (judge: (policy: PolicyTerms, facts: Facts) => ReturnType<typeof pass>) => (facts: Facts) =>
    facts.policy
      ? judge(facts.policy, facts)
      : warn('No policy is in force on chain, so this cannot be judged.')

const policyPresent = check('policy_present', ({ policy }) =>
  policy
    ? pass(`Version ${policy.version} of the policy is in force on chain.`)
    : fail('No policy is in force on chain, so the vault pays nothing.'),
)

const policyInForce = check(
  'policy_in_force',
  underPolicy((policy, { now }) => {
    if (policy.paused) return fail('The policy is paused, so the vault pays nothing.')
    const left = secondsBetween(now, policy.expiresAt)
    const end = dayOf(policy.expiresAt)
    if (left <= 0) return fail(`The policy expired on ${end}, ${-left} seconds ago.`)
    if (left < EXPIRY_FAIL_SECONDS) {
      return fail(`The policy expires on ${end} in ${left} seconds, before a payment could settle.`)
    }
    if (left < EXPIRY_WARN_SECONDS) {
      return warn(
        `The policy expires on ${end} in ${left} seconds, so a payment may come too late.`,
      )
    }
    return pass(`The policy is not paused and expires on ${end}.`)
  }),
)

const approvedCap = check(
  'approved_cap',
  underPolicy((policy, { expense: { amount } }) => {
    const cap = money(policy.approvedCap)
    return amount > policy.approvedCap
      ? fail(`${money(amount)} is above the cap of ${cap} for one payment.`)
      : pass(`${money(amount)} is within the cap of ${cap} for one payment.`)
  }),
)

const automaticEnabled = check('automatic_enabled', (facts) => {
  if (facts.expense.requestedMode !== 'automatic') {
    return pass('Automatic payment was not requested, so a signature is needed in any case.')
  }
  return underPolicy((policy) =>
    policy.automaticEnabled
      ? pass('The policy allows automatic payments.')
      : warn('The policy allows no automatic payments, so this one needs a signature.'),
  )(facts)
})

const automaticCap = check('automatic_cap', (facts) => {
  if (facts.expense.requestedMode !== 'automatic') {
    return pass('Automatic payment was not requested, so its cap does not apply.')
  }
  return underPolicy((policy, { expense: { amount } }) => {
    const cap = money(policy.automaticCap)
    return amount > policy.automaticCap
      ? warn(`${money(amount)} is above the automatic cap of ${cap}, so it needs a signature.`)
      : pass(`${money(amount)} is within the automatic cap of ${cap}.`)
  })(facts)
})

const lifetimeCap = check(
  'lifetime_cap',
  underPolicy((policy, { expense, vault }) => {
    const total = vault.spentTotal + vault.promised + expense.amount
    const sum =
      `Spent ${money(vault.spentTotal)}, reserved ${money(vault.promised)} and this expense ` +
      `come to ${money(total)}`
    const cap = `the lifetime cap of ${money(policy.lifetimeCap)}`
    return total > policy.lifetimeCap
      ? fail(`${sum}, above ${cap}.`)
      : pass(`${sum}, within ${cap}.`)
  }),
)

/** Informational only: the caps and the balance are judged by the other checks. */
const promised = check('promised', ({ vault }) =>
  pass(
    vault.promisedCount === 1
      ? `1 pending payment holds ${money(vault.promised)} of this vault.`
      : `${vault.promisedCount} pending payments hold ${money(vault.promised)} of this vault.`,
  ),
)

const balance = check('balance', ({ expense: { amount }, vault }) => {
  const free = vault.balance - vault.promised
  const held = `the vault's ${money(vault.balance)} less pending payments is ${money(free)}`
  return amount > free
    ? fail(`${money(amount)} is more than is available: ${held}.`)
    : pass(`${money(amount)} is available: ${held}.`)
})

const reserveFloor = check(
  'reserve_floor',
  underPolicy((policy, { expense, vault }) => {
    const left = vault.balance - vault.promised - expense.amount
    const floor = `the reserve of ${money(policy.reserveFloor)}`
    return left < policy.reserveFloor
      ? fail(`After all payments ${money(left)} would remain, below ${floor}.`)
      : pass(`After all payments ${money(left)} would remain, at or above ${floor}.`)
  }),
)

const recipientInPolicy = check(
  'recipient_in_policy',
  underPolicy((policy, { now, recipient: { address, standing } }) => {
    const who = checksummed(address)
    if (!standing || standing.allowedFrom === null) {
      return fail(`${who} is not on the vault's list of recipients.`)
    }
    if (standing.allowedFrom > now) {
      return fail(`The vault pays ${who} only from ${dayOf(standing.allowedFrom)} on.`)
    }
    if (standing.blocked) return fail(`${who} is blocked on chain.`)
    if ([policy.executorAddress, ...policy.approverAddresses].includes(address)) {
      return fail(`${who} is the executor or an approver, whom the vault does not pay.`)
    }
    return pass(`${who} is on the vault's list of recipients.`)
  }),
)

const executor = check('executor', (facts) => {
  const own = facts.executorAddress
  if (own === null) return fail('The organization has no active executor to send the payment.')
  return underPolicy((policy) =>
    policy.executorAddress === own
      ? pass(`The policy names the active executor ${checksummed(own)}.`)
      : fail(
          `The policy names the executor ${checksummed(policy.executorAddress)}, ` +
            `but the active executor is ${checksummed(own)}.`,
        ),
  )(facts)
})

const vaultUsable = check('vault_usable', ({ vault }) =>
  vault.isUsable
    ? pass('The vault is verified and active.')
    : fail('The vault is unverified or archived: choose another in a new revision.'),
)

export const policyChecks: readonly Check[] = [
  policyPresent,
  policyInForce,
  approvedCap,
  automaticEnabled,
  automaticCap,
  lifetimeCap,
  promised,
  balance,
  reserveFloor,
  recipientInPolicy,
  executor,
  vaultUsable,
]
