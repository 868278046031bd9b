import { useLingui } from '@lingui/react/macro'

/** Why a prepared transaction did not take effect, and what that means. */
export function useIntentFailureText(): (code: string | null) => string {
  const { t } = useLingui()
  return (code) => {
    switch (code) {
      case 'transaction_mismatch':
        return t`The transaction that was sent is not the one that was prepared. It does not count here; see what it did in your wallet.`
      case 'transaction_reverted':
        return t`The chain refused the transaction. Nothing changed, except for the gas it used.`
      case 'transaction_not_found':
        return t`No node has seen this transaction for a day. If your wallet replaced it, enter the hash of the new one.`
      case 'treasury_owner_required':
        return t`The wallet that sent it no longer has the role of treasury owner.`
      case 'superseded':
        return t`Another policy or list of recipients came first, or it waited too long. This one does not count.`
      case 'vetoed':
        return t`The owner or an approver stopped this policy while it waited.`
      default:
        return t`The transaction did not take effect.`
    }
  }
}
