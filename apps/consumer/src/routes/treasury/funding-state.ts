/** What prevents a deposit by the funding signer, and what would mend it (docs/FUNDING.md). */
import type { DataOf } from '@countersign/client/operation-types.ts'

export type Signer = DataOf<'getProviderSigner'>
export type Control = DataOf<'getFundingControl'>
export type Blocker = Signer['blockers'][number]

/** `attach`: an owner can do it here. `wallet`: a server wallet needs the role first. */
export type BlockerFix = 'deploy' | 'wallet' | 'attach' | 'fund' | 'wait' | 'none'

export function fixOf(blocker: Blocker, { walletRoles }: Pick<Signer, 'walletRoles'>): BlockerFix {
  const hasWallet = walletRoles.some(({ active }) => active)
  switch (blocker) {
    case 'signer_not_configured':
      return 'none'
    case 'no_vault':
      return 'deploy'
    case 'control_missing':
    case 'control_unverified':
    case 'policy_expired':
      return hasWallet ? 'attach' : 'wallet'
    case 'wallet_unfunded':
      return 'fund'
    case 'vault_unverified':
    case 'allowance_missing':
    case 'provider_unavailable':
      return 'wait'
  }
}

/** The signer did what its policy must deny. Nothing else matters until this is mended. */
export const isAlarm = (control: Control): boolean => control?.failureCode === 'probe_not_denied'

export type FundingAction = DataOf<'listFundingActions'>[number]
export type ActionOutcome = 'working' | 'good' | 'bad' | 'unknown'

/** A test that is denied is the good one. */
export function outcomeOf({ action, state, reconciliationState }: FundingAction): ActionOutcome {
  if (state === 'requested' || state === 'broadcast') {
    return reconciliationState === 'required' ? 'unknown' : 'working'
  }
  if (action === 'withdraw_probe') return state === 'denied' ? 'good' : 'bad'
  return state === 'confirmed' ? 'good' : 'bad'
}
