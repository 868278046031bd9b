import { useLive } from '@countersign/app-kit/data/live.tsx'
import { Count } from '@countersign/ui/tabs.tsx'
import { useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { Bell, Settings2, Wallet } from 'lucide-react'
import { useOrganization } from '../data/organization.tsx'
import { BalanceCard } from './balance-card.tsx'
import { INBOX, screensFor } from './navigation.ts'
import { OrganizationSwitch } from './organization-switch.tsx'

const linkStyle =
  'press flex h-9 items-center gap-3 rounded-md px-3 text-sm text-muted hover:bg-hover hover:text-text'
const current = {
  className: '!bg-selected !text-accent-strong font-medium',
  'aria-current': 'page' as const,
}

export function SideBar() {
  const { t, i18n } = useLingui()
  const { id: organizationId, role } = useOrganization()
  const { snapshot } = useLive()
  const waiting = snapshot?.tasks.filter(({ group }) => group === 'needs_action').length ?? 0
  const screens = screensFor(role)
  const links = (group: 'work' | 'organization') =>
    screens
      .filter((screen) => screen.group === group)
      .map(({ to, name, icon: Icon }) => (
        <Link
          key={to}
          to={to}
          params={{ organizationId }}
          className={linkStyle}
          activeProps={current}
          activeOptions={{ exact: to === INBOX, includeSearch: false }}
        >
          <Icon className="size-4.5" aria-hidden="true" />
          {i18n._(name)}
          {to === INBOX && waiting > 0 && (
            <span className="ms-auto">
              <Count>{waiting}</Count>
            </span>
          )}
        </Link>
      ))
  return (
    <aside className="print:hidden sticky top-0 hidden h-dvh flex-col overflow-y-auto border-line border-e bg-sunken/50 lg:flex">
      <div className="p-3">
        <OrganizationSwitch />
      </div>
      <nav aria-label={t`Screens`} className="flex flex-1 flex-col gap-0.5 px-3">
        {links('work')}
        <hr className="my-3 border-line" />
        {links('organization')}
        <hr className="my-3 border-line" />
        <Link to="/wallets" className={linkStyle}>
          <Wallet className="size-4.5" aria-hidden="true" />
          {t`Wallets`}
        </Link>
        <Link to="/notifications" className={linkStyle}>
          <Bell className="size-4.5" aria-hidden="true" />
          {t`Notifications`}
        </Link>
        <Link to="/settings" className={linkStyle}>
          <Settings2 className="size-4.5" aria-hidden="true" />
          {t`Your settings`}
        </Link>
      </nav>
      <BalanceCard />
    </aside>
  )
}
