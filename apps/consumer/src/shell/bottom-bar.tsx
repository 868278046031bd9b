import { Menu } from '@countersign/ui/menu.tsx'
import { useLingui } from '@lingui/react/macro'
import { Link, useNavigate } from '@tanstack/react-router'
import { Inbox, Landmark, Menu as MenuIcon, Plus, ReceiptText } from 'lucide-react'
import { useOrganization } from '../data/organization.tsx'
import { screensFor } from './navigation.ts'

const itemStyle =
  'flex min-h-14 flex-1 flex-col items-center justify-center gap-0.5 text-[11px] text-muted'
const current = { className: '!text-accent-strong font-medium', 'aria-current': 'page' as const }
const IN_BAR = ['', '/expenses', '/treasury'].map((path) => `/organizations/$organizationId${path}`)

/** The phone's navigation, under the thumb. */
export function BottomBar() {
  const { t, i18n } = useLingui()
  const navigate = useNavigate()
  const { id: organizationId, role } = useOrganization()
  const params = { organizationId }
  const more = screensFor(role).filter(({ to }) => !IN_BAR.includes(to))
  return (
    <nav
      aria-label={t`Main screens`}
      className="print:hidden fixed inset-x-0 bottom-0 z-20 flex border-line border-t bg-page pb-[env(safe-area-inset-bottom)] lg:hidden"
    >
      <Link
        to="/organizations/$organizationId"
        params={params}
        className={itemStyle}
        activeProps={current}
        activeOptions={{ exact: true }}
      >
        <Inbox className="size-5" aria-hidden="true" />
        {t`Inbox`}
      </Link>
      <Link
        to="/organizations/$organizationId/expenses"
        params={params}
        className={itemStyle}
        activeProps={current}
        activeOptions={{ includeSearch: false }}
      >
        <ReceiptText className="size-5" aria-hidden="true" />
        {t`Expenses`}
      </Link>
      <Link
        to="/organizations/$organizationId/expenses/new"
        params={params}
        className={itemStyle}
        aria-label={t`New expense`}
      >
        <span className="flex size-10 items-center justify-center rounded-full bg-accent text-on-accent">
          <Plus className="size-5" aria-hidden="true" />
        </span>
      </Link>
      <Link
        to="/organizations/$organizationId/treasury"
        params={params}
        className={itemStyle}
        activeProps={current}
      >
        <Landmark className="size-5" aria-hidden="true" />
        {t`Treasury`}
      </Link>
      <Menu
        trigger={
          <button type="button" className={itemStyle}>
            <MenuIcon className="size-5" aria-hidden="true" />
            {t`More`}
          </button>
        }
        items={[
          ...more.map(({ to, name, icon: Icon }) => ({
            label: i18n._(name),
            icon: <Icon className="size-4" aria-hidden="true" />,
            onSelect: () => void navigate({ to, params }),
          })),
          { label: t`Wallets`, onSelect: () => void navigate({ to: '/wallets' }) },
          { label: t`Notifications`, onSelect: () => void navigate({ to: '/notifications' }) },
          { label: t`Your settings`, onSelect: () => void navigate({ to: '/settings' }) },
        ]}
      />
    </nav>
  )
}
