import { Logo } from '@countersign/app-kit/shell/logo.tsx'
import { Menu } from '@countersign/ui/menu.tsx'
import { useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import { Check, ChevronsUpDown, LogOut, Plus } from 'lucide-react'
import { useOrganization } from '../data/organization.tsx'
import { useSignOut } from './use-sign-out.ts'

export function OrganizationSwitch() {
  const { t } = useLingui()
  const navigate = useNavigate()
  const signOut = useSignOut()
  const { id, name, me } = useOrganization()
  const others = me.memberships.filter(({ status }) => status === 'active')
  return (
    <Menu
      trigger={
        <button
          type="button"
          className="press flex w-full min-w-0 items-center gap-2.5 rounded-md p-2 text-start hover:bg-hover"
          aria-label={t`Organization ${name}, switch or sign out`}
        >
          <Logo />
          <bdi className="min-w-0 flex-1 truncate font-semibold">{name}</bdi>
          <ChevronsUpDown className="size-4 text-muted" aria-hidden="true" />
        </button>
      }
      items={[
        ...others.map(({ organizationId, organizationName }) => ({
          label: <bdi>{organizationName}</bdi>,
          icon: (
            <Check
              className={organizationId === id ? 'size-4' : 'invisible size-4'}
              aria-hidden="true"
            />
          ),
          onSelect: () =>
            void navigate({ to: '/organizations/$organizationId', params: { organizationId } }),
        })),
        {
          label: t`Create or join another`,
          icon: <Plus className="size-4" aria-hidden="true" />,
          onSelect: () => void navigate({ to: '/' }),
        },
        {
          label: t`Sign out`,
          icon: <LogOut className="size-4" aria-hidden="true" />,
          onSelect: () => void signOut({ everywhere: false }),
        },
      ]}
    />
  )
}
