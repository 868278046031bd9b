import { useLingui } from '@lingui/react/macro'
import { usePeople } from '../../../data/people.ts'
import type { Following, Waiting } from './history.ts'

type Who = {
  reviewers: readonly string[]
  signers: readonly string[]
  submitter: string
  /** How many must sign. */
  required: number
}

/** Who is waited for, and what follows, with names. */
export function useWaitingText({ reviewers, signers, submitter, required }: Who) {
  const { t } = useLingui()
  const { anyOf, allOf } = usePeople()
  const review = reviewers.length > 0 ? anyOf(reviewers) : t`an owner or a manager`
  /** All of them where nobody can be spared. */
  const signBy = (needed: number) =>
    signers.length === 0
      ? t`an approver`
      : needed >= signers.length
        ? allOf(signers)
        : anyOf(signers)
  const author = anyOf([submitter])
  const nowText = (waiting: Waiting): string => {
    switch (waiting.kind) {
      case 'to_be_sent_for_review':
        return t`Waiting to be sent for review by ${author}`
      case 'in_analysis':
        return t`Being analysed, which takes a moment`
      case 'for_review':
        return t`Waiting for a review by ${review}`
      case 'for_revision':
        return t`Waiting for changes by ${author}`
      case 'for_signature': {
        const { missing } = waiting.signatures
        const sign = signBy(missing)
        return missing > 1
          ? t`Waiting for ${missing} signatures by ${sign}`
          : t`Waiting for a signature by ${sign}`
      }
      case 'for_release':
        return t`The money is set aside. Waiting for an owner or a manager to release it`
      case 'to_be_sent':
        return t`The money is set aside and about to be sent`
      case 'postponed':
        return t`The money is set aside. Waiting for the next spending period`
      case 'on_chain':
        return t`Sent. Waiting for the chain`
      case 'looked_for':
        return t`Its outcome is not known yet. The chain is being searched`
      case 'blocked':
        return t`Blocked`
    }
  }
  const nextText = (following: Following): string => {
    switch (following) {
      case 'analysis':
        return t`Analysed immediately`
      case 'review':
        return t`Reviewed by ${review}`
      case 'signature': {
        const sign = signBy(required)
        return required > 1 ? t`${required} signatures by ${sign}` : t`Signed by ${sign}`
      }
      case 'payment':
        return t`Paid by the vault`
    }
  }
  return { nowText, nextText }
}
