/**
 * Providers for processes without keys: they describe a provider and refuse every call. API
 * processes get these; a call to one of them is a bug.
 */
import { type ExecutorName, executorTypes } from '#platform/config/providers.ts'
import type { ExecutorProvider } from '#ports/executor-provider.ts'
import type { FundingProvider, FundingTerms } from '#ports/funding-provider.ts'
import type { WalletProvider, WalletTerms } from '#ports/wallet-provider.ts'

const refuse = async (): Promise<never> => {
  throw new Error('This process holds no keys: a worker has to do this')
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
