import { CSPProvider } from '@base-ui/react/csp-provider'
import { Outlet } from '@tanstack/react-router'
import { AccountChanged } from './account-changed.tsx'
import { useFocusAfterNavigation } from './use-focus-after-navigation.ts'
import { useLostFocus } from './use-lost-focus.ts'

/** The page's policy forbids style elements, so the components bring none. */
export function RootLayout() {
  useFocusAfterNavigation()
  useLostFocus()
  return (
    <CSPProvider disableStyleElements>
      <Outlet />
      <AccountChanged />
    </CSPProvider>
  )
}
