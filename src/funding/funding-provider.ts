/** Access to the funding provider, and the form in which it gets a control. */
import type { Context } from '#context.ts'
import type { WalletProviderType } from '#platform/config/providers.ts'
import { AppError } from '#platform/errors.ts'
import type { AttachedControl, FundingTerms } from '#ports/funding-provider.ts'
import type { ControlRow, Depositor } from './controls.store.ts'

export type FundingContext = Pick<
  Context,
  | 'db'
  | 'clock'
  | 'ids'
  | 'config'
  | 'chain'
  | 'paymentChain'
  | 'log'
  | 'secrets'
  | 'fundingProvider'
>

/** For API requests: the provider's terms without its keys. */
export type FundingRequestContext = Omit<FundingContext, 'fundingProvider'> &
  Pick<Context, 'outcomes'> & { fundingProvider: FundingTerms | undefined }

const RETRY_AFTER_SECONDS = 5

/** `type`: the provider of an existing control; no other provider can serve it. */
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

/** The control in the form of the port. The reference is empty before it is attached. */
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
