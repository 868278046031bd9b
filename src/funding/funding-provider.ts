/** What every command needs of the provider: that it is there, and what it is given. */
import type { Context } from '#context.ts'
import type { WalletProviderType } from '#platform/config/providers.ts'
import { AppError } from '#platform/errors.ts'
import type { AttachedControl, FundingTerms } from '#ports/funding-provider.ts'
import type { ControlRow, Depositor } from './controls.store.ts'

export type FundingContext = Pick<
  Context,
  'db' | 'clock' | 'ids' | 'config' | 'chain' | 'laneChain' | 'log' | 'secrets' | 'fundingProvider'
>

/** What requests need: the provider's terms, and none of its keys. */
export type FundingRequestContext = Omit<FundingContext, 'fundingProvider'> &
  Pick<Context, 'outcomes'> & { fundingProvider: FundingTerms | undefined }

const RETRY_AFTER_SECONDS = 5

/** `type`: whoever a control was made with; another one knows nothing of it. */
export function providerOf<Terms extends FundingTerms>(
  { fundingProvider }: { fundingProvider: Terms | undefined },
  type?: WalletProviderType,
): Terms {
  if (fundingProvider && (type ?? fundingProvider.type) === fundingProvider.type) {
    return fundingProvider
  }
  throw new AppError('dependency_unavailable', {
    message: 'The provider of this funding signer is not configured here. Ask the operator.',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })
}

/** As the provider knows it. A control that was never attached has nothing to show. */
export const asAttached = (control: ControlRow, wallet: Depositor): AttachedControl => ({
  controlId: control.id,
  wallet,
  signerId: control.signerId,
  policyId: control.policyId,
  rule: {
    chainId: control.chainId,
    vaultAddress: control.vaultAddress,
    maxAmount: control.maxAmount,
    expiresAt: control.expiresAt,
  },
  reference: control.reference ?? Buffer.alloc(0),
})
