import { useLive } from '@countersign/app-kit/data/live.tsx'
import { LiveDot } from '@countersign/app-kit/shell/live-dot.tsx'
import { useLingui } from '@lingui/react/macro'
import { getRouteApi, Outlet } from '@tanstack/react-router'
import { useEffect } from 'react'
import { OperatorLive } from '../data/operator-live.tsx'
import { endWithoutRole, isWithoutRole } from '../data/read-cache.ts'
import { BottomBar } from './bottom-bar.tsx'
import { SearchBox } from './search-box.tsx'
import { useShortcuts } from './shortcuts.ts'
import { SideBar } from './side-bar.tsx'
import { Stripe } from './stripe.tsx'

const route = getRouteApi('/signed-in')

export function OperatorShell() {
  const { accountId } = route.useRouteContext()
  return (
    <OperatorLive accountId={accountId}>
      <Shell />
    </OperatorLive>
  )
}

/** The stream is the first to know that the role was revoked. */
function useRole(): void {
  const { state } = useLive()
  const isOver =
    state.phase === 'ended' &&
    (state.reason === 'access' || (state.reason === 'refused' && isWithoutRole(state.failure)))
  useEffect(() => {
    if (isOver) void endWithoutRole()
  }, [isOver])
}

function Shell() {
  const { t } = useLingui()
  useShortcuts()
  useRole()
  return (
    <div className="lg:grid lg:grid-cols-[15.5rem_1fr]">
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:fixed focus:start-3 focus:top-3 focus:z-50 focus:rounded-md focus:bg-raised focus:px-4 focus:py-2 focus:shadow-raised"
      >
        {t`Skip to the content`}
      </a>
      <SideBar />
      <div className="min-w-0">
        <header className="print:hidden sticky top-0 z-20 border-line border-b bg-page">
          <Stripe />
          <div className="flex h-14 items-center gap-3 px-4 sm:px-6">
            <SearchBox />
            <LiveDot />
          </div>
        </header>
        <main id="main" tabIndex={-1} className="outline-none">
          <Outlet />
        </main>
      </div>
      <BottomBar />
    </div>
  )
}
