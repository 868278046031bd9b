import { useLingui } from '@lingui/react/macro'
import { usePeople } from '../../../data/people.ts'
import type { Off } from './actions.ts'

/** Why a button is off, and who could. */
export function useOffText(): (off: Off | null) => string | undefined {
  const { t } = useLingui()
  const { anyOf } = usePeople()
  return (off) => {
    if (!off) return undefined
    const who = anyOf(off.who)
    const nobody = off.who.length === 0
    switch (off.code) {
      case 'submitter_only':
        return t`Only the submitter can do this: ${who}.`
      case 'reviewers_only':
        return nobody ? t`Owners and managers review.` : t`Owners and managers review: ${who}.`
      case 'own_expense':
        return t`You submitted it. ${who} can do this.`
      case 'paid_to_you':
        return nobody
          ? t`It pays a wallet of yours, and nobody else can decide. Ask an owner to invite someone.`
          : t`It pays a wallet of yours. ${who} can decide.`
      case 'approvers_only':
        return nobody
          ? t`Nobody can sign yet. An owner makes a wallet an approver, and the policy must list it.`
          : t`Approvers sign: ${who}.`
      case 'not_in_policy':
        return nobody
          ? t`The policy does not list your wallet. An owner changes the policy.`
          : t`The policy does not list your wallet. ${who} can sign.`
      case 'server_wallet':
        return t`Your approver wallet is held by the service, so it cannot sign approvals. Use a wallet of your own.`
      case 'already_signed':
        return nobody
          ? t`You have signed it. Nobody else can sign yet: an owner makes another wallet an approver.`
          : t`You have signed it. It waits for another signature by ${who}.`
      case 'managers_only':
        return t`Owners and managers do this: ${who}.`
      case 'owner_or_approver_only':
        return t`Owners and the approver do this: ${who}.`
      case 'too_many_revisions':
        return t`It has reached the limit of revisions. Create a new expense.`
    }
  }
}
