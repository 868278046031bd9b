import { useLive } from '@countersign/app-kit/data/live.tsx'
import { Count } from '@countersign/ui/tabs.tsx'
import { useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { Fragment } from 'react'
import { AdminLogo } from './admin-logo.tsx'
import { GROUPS, SCREENS } from './navigation.ts'

const linkStyle =
  'press flex h-9 items-center gap-3 rounded-md px-3 text-sm text-muted hover:bg-hover hover:text-text'
const current = {
  className: '!bg-selected !text-accent-strong font-medium',
  'aria-current': 'page' as const,
}

export function SideBar() {
  const { t, i18n } = useLingui()
  const { snapshot } = useLive()
  const waiting = snapshot?.tasks.filter(({ group }) => group === 'needs_action').length ?? 0
  return (
    <aside className="print:hidden sticky top-0 hidden h-dvh flex-col overflow-y-auto border-line border-e bg-sunken/50 lg:flex">
      <Link to="/" className="flex items-center gap-2.5 p-5 font-semibold">
        <AdminLogo />
        Countersign
      </Link>
      <nav aria-label={t`Screens`} className="flex flex-1 flex-col gap-0.5 px-3 pb-3">
        {GROUPS.map((group, index) => (
          <Fragment key={group}>
            {index > 0 && <hr className="my-3 border-line" />}
            {SCREENS.filter((screen) => screen.group === group).map(({ to, name, icon: Icon }) => (
              <Link
                key={to}
                to={to}
                className={linkStyle}
                activeProps={current}
                activeOptions={{ exact: to === '/', includeSearch: false }}
              >
                <Icon className="size-4.5" aria-hidden="true" />
                {i18n._(name)}
                {to === '/' && waiting > 0 && (
                  <span className="ms-auto">
                    <Count>{waiting}</Count>
                  </span>
                )}
              </Link>
            ))}
          </Fragment>
        ))}
      </nav>
    </aside>
  )
}
