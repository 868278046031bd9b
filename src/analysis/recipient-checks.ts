/** Checks of the recipient. */
import { checksummed } from '@countersign/proof/values.ts'
import {
  type Check,
  check,
  count,
  DAY_SECONDS,
  dayOf,
  fail,
  pass,
  secondsBetween,
} from './check.ts'

/** Keeps a report short, however many there are. */
const LOOK_ALIKES_NAMED = 3

const recipientActive = check('recipient_active', ({ recipient }) =>
  recipient.isActive
    ? pass('The recipient is active.')
    : fail('The recipient is deactivated: choose another in a new revision.'),
)

/** Informational only: every recipient is new once. */
const recipientKnown = check('recipient_known', ({ now, recipient: { addedAt } }) => {
  const days = Math.max(0, Math.floor(secondsBetween(addedAt, now) / DAY_SECONDS))
  return pass(`The recipient was added on ${dayOf(addedAt)}, ${count(days, 'day')} ago.`)
})

/** The facts count no further. */
const PAYMENTS_COUNTED = 100

/** Informational only, for the same reason. */
const firstPayment = check('first_payment', ({ recipient: { paidBefore } }) => {
  if (paidBefore === 0) {
    return pass('This would be the first payment to the recipient: 0 have reached it so far.')
  }
  const least = paidBefore >= PAYMENTS_COUNTED ? 'At least ' : ''
  const payments = count(paidBefore, 'payment has', 'payments have')
  return pass(`${least}${payments} reached the recipient so far.`)
})

/** People compare only the ends of an address, so a planted address imitates them. */
const lookAlike = check('look_alike', ({ recipient, lookAlikes }) => {
  const own = checksummed(recipient.address)
  if (lookAlikes.length === 0) {
    return pass(`No other active recipient begins and ends like ${own}.`)
  }
  const named = lookAlikes
    .slice(0, LOOK_ALIKES_NAMED)
    .map(({ label, address }) => `${checksummed(address)} ("${label}")`)
  const more = lookAlikes.length - named.length
  const others = more > 0 ? [...named, `${more} more`] : named
  return fail(
    `${own} begins and ends like ${count(lookAlikes.length, 'other recipient')}: ` +
      `${others.join(', ')}; compare every character.`,
  )
})

/** Informational only: most such payments are reimbursements. */
const ownWallet = check('own_wallet', ({ recipient: { belongsTo } }) => {
  if (belongsTo === 'submitter') {
    return pass("The recipient is the submitter's own wallet, as in a reimbursement.")
  }
  return belongsTo === 'member'
    ? pass('The recipient is the wallet of another member of the organization.')
    : pass("The recipient is no member's wallet.")
})

export const recipientChecks: readonly Check[] = [
  recipientActive,
  recipientKnown,
  firstPayment,
  lookAlike,
  ownWallet,
]
