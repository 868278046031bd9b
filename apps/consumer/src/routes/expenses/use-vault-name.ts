import { useRead } from '@countersign/app-kit/data/queries.ts'
import { useLingui } from '@lingui/react/macro'
import { useOrganization } from '../../data/organization.tsx'

export function useVaultName(): (vaultId: string) => string {
  const { t } = useLingui()
  const { id: organizationId } = useOrganization()
  const vaults = useRead('listVaults', { path: { organizationId } }).data?.vaults ?? []
  return (vaultId) => vaults.find(({ id }) => id === vaultId)?.label ?? t`a vault`
}
