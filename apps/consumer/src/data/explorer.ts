import { useOrganization } from './organization.tsx'

/** Addresses of the explorer of this deployment's chain, where it has one. */
export function useExplorer() {
  const { explorer } = useOrganization().config.chain
  return {
    address: (address: string) => explorer?.addressUrl.replace('{address}', address),
    transaction: (hash: string) => explorer?.transactionUrl.replace('{transactionHash}', hash),
  }
}
