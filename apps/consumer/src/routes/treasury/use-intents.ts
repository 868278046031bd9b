import { reading } from '@countersign/app-kit/data/queries.ts'
import { useQuery } from '@tanstack/react-query'
import { useOrganization } from '../../data/organization.tsx'
import { isOpen } from './intent-steps.ts'

/** Live events announce changes; while something is under way it is also looked up by itself. */
const POLL_MS = 4_000

export function useDeployments() {
  const { id: organizationId } = useOrganization()
  return useQuery({
    ...reading('listVaultDeployments', { path: { organizationId } }),
    refetchInterval: ({ state }) => (state.data?.vaultDeployments.some(isOpen) ? POLL_MS : false),
  })
}

export function usePolicyIntents(vaultId: string, isEnabled: boolean) {
  const { id: organizationId } = useOrganization()
  return useQuery({
    ...reading('listPolicyIntents', { path: { organizationId, vaultId } }),
    enabled: isEnabled,
    refetchInterval: ({ state }) => (state.data?.policyIntents.some(isOpen) ? POLL_MS : false),
  })
}
