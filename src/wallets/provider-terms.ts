/** The configured wallet provider without its keys, as far as API processes need it. */
import type { WalletProviderType } from '#platform/config/providers.ts'
import { AppError } from '#platform/errors.ts'
import type { WalletTerms } from '#ports/wallet-provider.ts'

export const RETRY_AFTER_SECONDS = 5

/** `type` is the provider that created the wallet; no other provider can serve it. */
export function termsOf<Terms extends WalletTerms>(
  { walletProvider }: { walletProvider: Terms | undefined },
  type?: WalletProviderType,
): Terms {
  if (walletProvider && (type ?? walletProvider.type) === walletProvider.type) return walletProvider
  throw new AppError('dependency_unavailable', {
    message: 'The provider of this wallet is not configured here. Ask the operator.',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })
}
