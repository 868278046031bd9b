import './main.css'
import { failureOf } from '@countersign/app-kit/data/api.ts'
import { startSpeaking } from '@countersign/app-kit/i18n.ts'
import { applyScheme, keptScheme } from '@countersign/app-kit/theme.ts'
import { i18n } from '@lingui/core'
import { I18nProvider } from '@lingui/react'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { lazy, StrictMode, Suspense } from 'react'
import { createRoot } from 'react-dom/client'
import { catalogs } from './catalogs.ts'
import { createAppRouter } from './router.tsx'

const ToastArea = lazy(async () => ({
  default: (await import('@countersign/ui/toast.tsx')).ToastArea,
}))

const STALE_MS = 15_000

const cache = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: STALE_MS,
      // The client has retried already what is worth retrying.
      retry: false,
      // With something on the screen, a notice says it: the page may hold what somebody typed.
      throwOnError: (error, { state }) =>
        state.data === undefined && failureOf(error)?.treatment === 'sign_in',
    },
  },
})

applyScheme(keptScheme())
await startSpeaking(catalogs)
const router = createAppRouter(cache)
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
