import { reading } from '@countersign/app-kit/data/queries.ts'
import { useQuery } from '@tanstack/react-query'
import { useOrganization } from '../../data/organization.tsx'
import { useKept } from '../../wallet/kept.ts'
import { isOpen } from './intent-steps.ts'
import { keptDismissals } from './kept-transactions.ts'

/** Live events announce changes; while something is under way it is also looked up by itself. */
const POLL_MS = 4_000

export function useDeployments() {
  const { id: organizationId } = useOrganization()
  return useQuery({
    ...reading('listVaultDeployments', { path: { organizationId } }),
    refetchInterval: ({ state }) => (state.data?.vaultDeployments.some(isOpen) ? POLL_MS : false),
  })
}

export function usePolicyIntents(vaultId: string) {
  const { id: organizationId } = useOrganization()
  return useQuery({
    ...reading('listPolicyIntents', { path: { organizationId, vaultId } }),
    refetchInterval: ({ state }) => (state.data?.policyIntents.some(isOpen) ? POLL_MS : false),
  })
}

/** The ids that were put aside, and how to put aside another. `of`: the vault or the organization. */
export function useDismissed(of: string): [readonly string[], (id: string) => void] {
  const [kept, keep] = useKept(`dismissed.${of}`, keptDismissals)
  const ids = kept ?? []
  return [ids, (id) => keep([...ids.filter((one) => one !== id), id])]
}
