import type { ItemOf } from '@countersign/client/operation-types.ts'
import { ShortAddress } from '@countersign/ui/address.tsx'
import { Card } from '@countersign/ui/page.tsx'
import { Link } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import { useOrganization } from '../../data/organization.tsx'
import { VaultMarks } from './vault-marks.tsx'

export function VaultList({ vaults }: { vaults: readonly ItemOf<'listVaults'>[] }) {
  const { id: organizationId } = useOrganization()
  return (
    <Card isFlush>
      <ul className="divide-y divide-line">
        {vaults.map((vault) => (
          <li key={vault.id}>
            <Link
              to="/organizations/$organizationId/treasury/$vaultId"
              params={{ organizationId, vaultId: vault.id }}
              className="press flex min-h-14 items-center gap-4 px-4 py-3 hover:bg-hover sm:px-5"
            >
              <span className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-1">
                <bdi className="truncate font-medium">{vault.label}</bdi>
                <VaultMarks vault={vault} />
              </span>
              <span className="max-sm:hidden">
                <ShortAddress address={vault.address} />
              </span>
              <ChevronRight className="size-5 shrink-0 text-muted" aria-hidden="true" />
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  )
}
