import { reading } from '@countersign/app-kit/data/queries.ts'
import type { DataOf } from '@countersign/client/operation-types.ts'
import { useQueries } from '@tanstack/react-query'
import { useOrganization } from '../../data/organization.tsx'
import type { Vault } from './setup-steps.ts'

/** Each vault that pays or will pay, with its policy. Null until all of them are read. */
export function useVaultDetails(vaults: readonly Vault[]): DataOf<'getVault'>[] | null {
  const { id: organizationId } = useOrganization()
  const usable = vaults.filter(
    ({ status, archivedAt }) => status === 'verified' && archivedAt === null,
  )
  const reads = useQueries({
    queries: usable.map(({ id: vaultId }) =>
      reading('getVault', { path: { organizationId, vaultId } }),
    ),
  })
  const details = reads.flatMap(({ data }) => data ?? [])
  return details.length === reads.length ? details : null
}
