import { CSPProvider } from '@base-ui/react/csp-provider'
import { Outlet } from '@tanstack/react-router'

/** The page's policy forbids style elements, so the components bring none. */
export function RootLayout() {
  return (
    <CSPProvider disableStyleElements>
      <Outlet />
    </CSPProvider>
  )
}
