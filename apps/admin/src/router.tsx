/** Every screen and its address. Screens are loaded when they are first opened. */
import { beginAs } from '@countersign/app-kit/data/account.ts'
import { type Session, sessionQuery } from '@countersign/app-kit/data/session.ts'
import { AppErrorView } from '@countersign/app-kit/shell/app-error-view.tsx'
import { RootLayout } from '@countersign/app-kit/shell/root-layout.tsx'
import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router'
import {
  casesSearch,
  failuresSearch,
  organizationSearch,
  organizationsSearch,
  signInSearch,
  trailSearch,
} from './search.ts'
import { NotFoundView } from './shell/not-found-view.tsx'
import { OperatorShell } from './shell/operator-shell.tsx'

type RouterContext = { cache: QueryClient }

const root = createRootRouteWithContext<RouterContext>()({
  component: RootLayout,
  errorComponent: AppErrorView,
  notFoundComponent: NotFoundView,
})

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: signInSearch,
  component: lazyRouteComponent(() => import('./routes/sign-in/sign-in-page.tsx'), 'SignInPage'),
})

/** Everything below needs a session at the gateway. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  component: OperatorShell,
  beforeLoad: async ({ context, location }) => {
    const session: Session = await context.cache.ensureQueryData(sessionQuery)
    if (session.state === 'signed_out') {
      throw redirect({ to: '/sign-in', search: { returnTo: location.href } })
    }
    beginAs(session.accountId, 'admin')
    return { accountId: session.accountId }
  },
})

const overview = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  component: lazyRouteComponent(
    () => import('./routes/overview/overview-page.tsx'),
    'OverviewPage',
  ),
})
const organizations = createRoute({
  getParentRoute: () => signedIn,
  path: '/organizations',
  validateSearch: organizationsSearch,
  component: lazyRouteComponent(
    () => import('./routes/organizations/organizations-page.tsx'),
    'OrganizationsPage',
  ),
})
const organization = createRoute({
  getParentRoute: () => signedIn,
  path: '/organizations/$organizationId',
  validateSearch: organizationSearch,
  component: lazyRouteComponent(
    () => import('./routes/organizations/organization-page.tsx'),
    'OrganizationPage',
  ),
})
const story = createRoute({
  getParentRoute: () => signedIn,
  path: '/organizations/$organizationId/payments/$paymentId',
  component: lazyRouteComponent(() => import('./routes/story/story-page.tsx'), 'StoryPage'),
})
const failures = createRoute({
  getParentRoute: () => signedIn,
  path: '/failures',
  validateSearch: failuresSearch,
  component: lazyRouteComponent(
    () => import('./routes/failures/failures-page.tsx'),
    'FailuresPage',
  ),
})
const unrecorded = createRoute({
  getParentRoute: () => signedIn,
  path: '/unrecorded-payments',
  component: lazyRouteComponent(
    () => import('./routes/failures/unrecorded-page.tsx'),
    'UnrecordedPage',
  ),
})
const cases = createRoute({
  getParentRoute: () => signedIn,
  path: '/cases',
  validateSearch: casesSearch,
  component: lazyRouteComponent(() => import('./routes/cases/cases-page.tsx'), 'CasesPage'),
})
const oneCase = createRoute({
  getParentRoute: () => signedIn,
  path: '/cases/$caseId',
  component: lazyRouteComponent(() => import('./routes/cases/case-page.tsx'), 'CasePage'),
})
const health = createRoute({
  getParentRoute: () => signedIn,
  path: '/health',
  component: lazyRouteComponent(() => import('./routes/health/health-page.tsx'), 'HealthPage'),
})
const executors = createRoute({
  getParentRoute: () => signedIn,
  path: '/executors',
  component: lazyRouteComponent(
    () => import('./routes/executors/executors-page.tsx'),
    'ExecutorsPage',
  ),
})
const trail = createRoute({
  getParentRoute: () => signedIn,
  path: '/trail',
  validateSearch: trailSearch,
  component: lazyRouteComponent(() => import('./routes/trail/trail-page.tsx'), 'TrailPage'),
})
const wallets = createRoute({
  getParentRoute: () => signedIn,
  path: '/wallets',
  component: lazyRouteComponent(() => import('./routes/wallets/wallets-page.tsx'), 'WalletsPage'),
})
const walletExport = createRoute({
  getParentRoute: () => signedIn,
  path: '/wallets/$walletId/export',
  component: lazyRouteComponent(() => import('./routes/wallets/export-page.tsx'), 'ExportPage'),
})
const settings = createRoute({
  getParentRoute: () => signedIn,
  path: '/settings',
  component: lazyRouteComponent(
    () => import('./routes/settings/settings-page.tsx'),
    'SettingsPage',
  ),
})

const tree = root.addChildren([
  signIn,
  signedIn.addChildren([
    overview,
    organizations,
    organization,
    story,
    failures,
    unrecorded,
    cases,
    oneCase,
    health,
    executors,
    trail,
    wallets,
    walletExport,
    settings,
  ]),
])

export const createAppRouter = (cache: QueryClient) =>
  createRouter({
    routeTree: tree,
    context: { cache },
    // Not even code is fetched early: nothing in this application happens before a person acts.
    defaultPreload: false,
    defaultErrorComponent: AppErrorView,
    defaultNotFoundComponent: NotFoundView,
    scrollRestoration: true,
  })

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>
  }
}
