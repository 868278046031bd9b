/** Starts an application. What its first screen needs is asked for at the same time. */
import { afterFirstScreen } from '@countersign/ui/after-first-screen.ts'
import { i18n } from '@lingui/core'
import { I18nProvider } from '@lingui/react'
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { type AnyRouter, RouterProvider } from '@tanstack/react-router'
import { lazy, StrictMode, Suspense } from 'react'
import { createRoot } from 'react-dom/client'
import { beginAs, type Realm } from './data/account.ts'
import { sessionQuery } from './data/session.ts'
import type { Catalogs } from './early/language.ts'
import { startSpeaking } from './i18n.ts'
import { applyScheme, keptScheme } from './theme.ts'

const ToastArea = lazy(async () => {
  await afterFirstScreen()
  return { default: (await import('@countersign/ui/toast.tsx')).ToastArea }
})

/** The router would load the script of a screen only after the session is known. */
function loadScreen(router: AnyRouter): void {
  for (const { routeId } of router.matchRoutes(router.latestLocation)) {
    const { component } = router.routesById[routeId]?.options ?? {}
    void component?.preload?.()
  }
}

/** A session that cannot be read is read again by the router, which shows why. */
async function beginSession(cache: QueryClient, realm: Realm): Promise<boolean> {
  await cache.prefetchQuery(sessionQuery)
  const session = cache.getQueryData(sessionQuery.queryKey)
  if (session?.state !== 'signed_in') return false
  beginAs(session.accountId, realm)
  return true
}

export async function startApp({
  realm,
  catalogs,
  cache,
  router,
  readFirst,
}: {
  realm: Realm
  catalogs: Catalogs
  cache: QueryClient
  router: AnyRouter
  /** What every screen reads of whoever is signed in. */
  readFirst?: () => void
}): Promise<void> {
  applyScheme(keptScheme())
  void beginSession(cache, realm).then((isSignedIn) => isSignedIn && readFirst?.())
  loadScreen(router)
  await startSpeaking(catalogs)
  const root = document.getElementById('root')
  if (!root) throw new Error('The page has no root element.')
  createRoot(root).render(
    <StrictMode>
      <I18nProvider i18n={i18n}>
        <QueryClientProvider client={cache}>
          <RouterProvider router={router} />
          <Suspense>
            <ToastArea />
          </Suspense>
        </QueryClientProvider>
      </I18nProvider>
    </StrictMode>,
  )
}
