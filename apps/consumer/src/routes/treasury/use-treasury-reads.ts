import { useRead } from '@countersign/app-kit/data/queries.ts'
import { isOwnerOrManager, useOrganization } from '../../data/organization.tsx'
import { useAll } from './use-all.ts'

const LARGE_PAGE = { limit: 100 } as const

/** The lists that screens of the treasury need whole. */
export function useOrganizationReads() {
  const organization = useOrganization()
  const path = { organizationId: organization.id }
  return {
    members: useAll('listMembers', { path, query: LARGE_PAGE }),
    recipients: useAll('listRecipients', { path, query: LARGE_PAGE }),
    vaults: useAll('listVaults', { path, query: LARGE_PAGE }),
    /** Employees may not see it. */
    executor: useRead('getExecutor', { path }, { isEnabled: isOwnerOrManager(organization) }),
  }
}

export function useVaultRead(vaultId: string | undefined) {
  const { id: organizationId } = useOrganization()
  return useRead(
    'getVault',
    { path: { organizationId, vaultId: vaultId ?? '' } },
    { isEnabled: vaultId !== undefined },
  )
}
