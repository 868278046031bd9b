import './main.css'
import { startSpeaking } from '@countersign/app-kit/i18n.ts'
import { applyScheme, keptScheme } from '@countersign/app-kit/theme.ts'
import { i18n } from '@lingui/core'
import { I18nProvider } from '@lingui/react'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { lazy, StrictMode, Suspense } from 'react'
import { createRoot } from 'react-dom/client'
import { catalogs } from './catalogs.ts'
import { createReadCache } from './data/read-cache.ts'
import { createAppRouter } from './router.tsx'

const ToastArea = lazy(async () => ({
  default: (await import('@countersign/ui/toast.tsx')).ToastArea,
}))

const cache = createReadCache()

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
