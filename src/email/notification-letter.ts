/** The e-mail about an event. Pure. */
import type { Category } from '#push/notification.ts'
import { type Letter, quoted } from './letter.ts'

/** Only what the recipient may see. Amounts stay in the application. */
export type EventFacts = {
  organizationName: string | null
  purpose: string | null
  recipientLabel: string | null
  submitterName: string | null
  caseSubject: string | null
}

const NAME_MAX = 60
const PURPOSE_MAX = 200

type Wording = { subject: string; sentence: string }

const wordings: Record<Category, Wording> = {
  review_needed: {
    subject: 'An expense needs your review',
    sentence: 'An expense is waiting for your review.',
  },
  approval_needed: {
    subject: 'An expense needs your signature',
    sentence: 'An expense is waiting for the signature of an approver.',
  },
  revision_requested: {
    subject: 'Your expense needs a new revision',
    sentence: 'A reviewer asked you to revise your expense.',
  },
  payment_confirmed: {
    subject: 'Your expense was paid',
    sentence: 'The payment of your expense is confirmed on the chain.',
  },
  payment_blocked: {
    subject: 'A payment is blocked',
    sentence: 'A payment could not be made. The application shows the reason and what to do.',
  },
  payment_unrecorded: {
    subject: 'A vault made an unknown payment',
    sentence:
      'A vault of your organization made a payment that this service has no record of. ' +
      "Check it now: somebody else may have used the executor's key.",
  },
  policy_proposed: {
    subject: 'A new policy waits in a vault',
    sentence:
      'A new policy was signed for a vault of your organization and comes into force after the ' +
      "vault's delay. The application shows what it changes. If you did not expect it, veto it.",
  },
  vault_changed: {
    subject: 'A vault was changed',
    sentence:
      'A vault of your organization was changed on the chain in a way that was not prepared in ' +
      'this service. Check what changed. If you did not expect it, pause the vault.',
  },
  support_updated: {
    subject: 'Your support case was updated',
    sentence: 'There is an update to your support case.',
  },
  member_role_changed: {
    subject: "A member's role was changed",
    sentence:
      "An owner of your organization changed a member's role. " +
      'If you did not expect this, check the list of members and the audit trail.',
  },
  webhook_disabled: {
    subject: 'A webhook was disabled',
    sentence:
      'A webhook of your organization was disabled, because its receiver accepts no events. ' +
      'Fix the receiver, then enable the webhook again in the application.',
  },
  wallet_exported: {
    subject: 'A wallet key was exported',
    sentence:
      'The private key of a server wallet was exported. Whoever has the key controls the wallet. ' +
      'If you did not expect this, move the funds out of the wallet and contact support.',
  },
  wallet_export_locked: {
    subject: 'Export of a wallet key is locked',
    sentence:
      'Somebody tried to export the private key of a server wallet and failed three times. ' +
      'Exports of this wallet are locked for a day. If it was not you, contact support.',
  },
}

const named = (name: string, value: string | null, max: number): (readonly [string, string])[] =>
  value === null ? [] : [[name, quoted(value, max)]]

export function notificationLetter({
  category,
  facts,
  url,
  unsubscribeUrl,
}: {
  category: Category
  facts: EventFacts
  url: string
  unsubscribeUrl: string | undefined
}): Letter {
  const { subject, sentence } = wordings[category]
  const organization = facts.organizationName && quoted(facts.organizationName, NAME_MAX)
  return {
    subject: organization ? `${subject} (${organization})` : subject,
    paragraphs: [sentence],
    facts: [
      ...named('Organization', facts.organizationName, NAME_MAX),
      ...named('Purpose', facts.purpose, PURPOSE_MAX),
      ...named('Recipient', facts.recipientLabel, NAME_MAX),
      ...named('Submitted by', facts.submitterName, NAME_MAX),
      ...named('Case', facts.caseSubject, PURPOSE_MAX),
    ],
    action: { label: 'Open in the application', url },
    reason: organization
      ? `You received this e-mail because of your role in ${organization}.`
      : 'You received this e-mail because it concerns your account.',
    unsubscribeUrl,
  }
}
