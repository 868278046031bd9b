/** The e-mail that invites somebody to an organization. Pure. */
import { type Letter, quoted } from './letter.ts'

const NAME_MAX = 60

export type InvitationFacts = {
  organizationName: string
  /** Null when the inviter has no name. */
  inviterName: string | null
  role: 'manager' | 'employee'
  expiresAt: string
}

const roles = { manager: 'a manager', employee: 'an employee' }

/** The time zone of the reader is unknown. */
const dateOf = (timestamp: string): string =>
  `${timestamp.slice(0, 10)} at ${timestamp.slice(11, 16)} UTC`

export function invitationLetter({
  organizationName,
  inviterName,
  role,
  expiresAt,
  url,
}: InvitationFacts & { url: string }): Letter {
  const organization = quoted(organizationName, NAME_MAX)
  const inviter = inviterName === null ? 'A member' : quoted(inviterName, NAME_MAX)
  return {
    subject: `Invitation to ${organization}`,
    paragraphs: [
      `${inviter} invites you to join ${organization} as ${roles[role]}.`,
      `The invitation is valid until ${dateOf(expiresAt)} and for one person. Do not forward it.`,
    ],
    facts: [],
    action: { label: 'Accept the invitation', url },
    reason:
      'You received this e-mail because somebody entered your address. If you do not know them, ' +
      'you can ignore it.',
    unsubscribeUrl: undefined,
  }
}
