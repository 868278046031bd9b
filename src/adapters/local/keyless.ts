/**
 * Providers for processes without keys. They describe a provider and throw on every call, because
 * such a call in an API process is a bug.
 */
import { type ExecutorName, executorTypes } from '#platform/config/providers.ts'
import type { ExecutorProvider } from '#ports/executor-provider.ts'
import type { FundingProvider, FundingTerms } from '#ports/funding-provider.ts'
import type { WalletProvider, WalletTerms } from '#ports/wallet-provider.ts'

const refuse = async (): Promise<never> => {
  throw new Error('This process holds no keys. Run this in a worker.')
}

export const createKeylessExecutor = (name: ExecutorName): ExecutorProvider => ({
  type: executorTypes[name],
  check: refuse,
  provision: refuse,
  fundGas: refuse,
  holdsKey: refuse,
  sign: refuse,
})

export const createKeylessWallets = (terms: WalletTerms): WalletProvider => ({
  ...terms,
  check: refuse,
  create: refuse,
  exportKey: refuse,
})

export const createKeylessFunding = (terms: FundingTerms): FundingProvider => ({
  ...terms,
  kind: 'signs',
  attach: refuse,
  readBack: refuse,
  detach: refuse,
  probe: refuse,
  sign: refuse,
  approvalCall: refuse,
  signApproval: refuse,
  fundGas: refuse,
})
