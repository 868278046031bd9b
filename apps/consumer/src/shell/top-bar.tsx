import { LiveDot } from '@countersign/app-kit/shell/live-dot.tsx'
import { Button, buttonStyle } from '@countersign/ui/button.tsx'
import { Trans } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { Plus, Search } from 'lucide-react'
import { useOrganization } from '../data/organization.tsx'
import { OrganizationSwitch } from './organization-switch.tsx'
import { COMMAND_KEY, openOverlay } from './shortcuts.ts'

export function TopBar() {
  const { id: organizationId } = useOrganization()
  return (
    <header className="print:hidden sticky top-0 z-20 flex h-14 items-center gap-2 border-line border-b bg-page/95 px-4 sm:px-6">
      <div className="min-w-0 flex-1 lg:hidden">
        <OrganizationSwitch />
      </div>
      <div className="hidden flex-1 lg:block" />
      <LiveDot />
      <Button look="secondary" size="small" onClick={() => openOverlay('menu')}>
        <Search className="size-4" aria-hidden="true" />
        <span className="max-sm:sr-only">
          <Trans>Search</Trans>
        </span>
        <span aria-hidden="true" className="font-mono text-muted text-xs max-lg:hidden">
          {COMMAND_KEY} K
        </span>
      </Button>
      <Link
        to="/organizations/$organizationId/expenses/new"
        params={{ organizationId }}
        className={`${buttonStyle({ look: 'primary', size: 'small' })} max-lg:hidden`}
      >
        <Plus className="size-4" aria-hidden="true" />
        <Trans>New expense</Trans>
      </Link>
    </header>
  )
}
