import { Logo } from '@countersign/app-kit/shell/logo.tsx'
import { Trans } from '@lingui/react/macro'
import { Link, Outlet } from '@tanstack/react-router'
import { PushMessages } from './push-messages.tsx'

const linkStyle = 'press rounded-md px-3 py-2 text-sm text-muted hover:bg-hover hover:text-text'
const current = { className: 'font-medium text-text', 'aria-current': 'page' as const }

/** Around what belongs to the person and not to an organization. */
export function PersonalShell() {
  return (
    <>
      <PushMessages />
      <header className="sticky top-0 z-20 border-line border-b bg-page/95">
        <div className="mx-auto flex h-14 max-w-6xl items-center justify-between gap-4 px-4 sm:px-6">
          <Link to="/" className="flex items-center gap-2 font-semibold">
            <Logo />
            <span translate="no" className="max-sm:sr-only">
              Countersign
            </span>
          </Link>
          <nav className="flex items-center">
            <Link
              to="/"
              className={linkStyle}
              activeProps={current}
              activeOptions={{ exact: true }}
            >
              <Trans>Organizations</Trans>
            </Link>
            <Link to="/wallets" className={linkStyle} activeProps={current}>
              <Trans>Wallets</Trans>
            </Link>
            <Link to="/settings" className={linkStyle} activeProps={current}>
              <Trans>Settings</Trans>
            </Link>
          </nav>
        </div>
      </header>
      <main>
        <Outlet />
      </main>
    </>
  )
}
