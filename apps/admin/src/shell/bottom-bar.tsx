import { Menu } from '@countersign/ui/menu.tsx'
import { useLingui } from '@lingui/react/macro'
import { Link, useNavigate } from '@tanstack/react-router'
import { Menu as MenuIcon } from 'lucide-react'
import { SCREENS } from './navigation.ts'

const itemStyle =
  'flex min-h-14 min-w-0 flex-1 flex-col items-center justify-center gap-0.5 text-[11px] text-muted'
const current = { className: '!text-accent-strong font-medium', 'aria-current': 'page' as const }
const IN_BAR: readonly string[] = ['/', '/organizations', '/cases', '/failures']

/** The phone's navigation, under the thumb. */
export function BottomBar() {
  const { t, i18n } = useLingui()
  const navigate = useNavigate()
  return (
    <nav
      aria-label={t`Main screens`}
      className="print:hidden fixed inset-x-0 bottom-0 z-20 flex border-line border-t bg-page pb-[env(safe-area-inset-bottom)] lg:hidden"
    >
      {SCREENS.filter(({ to }) => IN_BAR.includes(to)).map(({ to, name, icon: Icon }) => (
        <Link
          key={to}
          to={to}
          className={itemStyle}
          activeProps={current}
          activeOptions={{ exact: to === '/', includeSearch: false }}
        >
          <Icon className="size-5" aria-hidden="true" />
          {i18n._(name)}
        </Link>
      ))}
      <Menu
        trigger={
          <button type="button" className={itemStyle}>
            <MenuIcon className="size-5" aria-hidden="true" />
            {t`More`}
          </button>
        }
        items={SCREENS.filter(({ to }) => !IN_BAR.includes(to)).map(({ to, name, icon: Icon }) => ({
          label: i18n._(name),
          icon: <Icon className="size-4" aria-hidden="true" />,
          onSelect: () => void navigate({ to }),
        }))}
      />
    </nav>
  )
}
