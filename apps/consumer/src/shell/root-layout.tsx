import { CSPProvider } from '@base-ui/react/csp-provider'
import { Outlet } from '@tanstack/react-router'
import { AccountChanged } from './account-changed.tsx'
import { ScreenAnnouncer } from './screen-announcer.tsx'

/** The page's policy forbids style elements, so the components bring none. */
export function RootLayout() {
  return (
    <CSPProvider disableStyleElements>
      <Outlet />
      <ScreenAnnouncer />
      <AccountChanged />
    </CSPProvider>
  )
}
