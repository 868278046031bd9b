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
import { InboxPage } from './routes/inbox/inbox-page.tsx'
import {
  activitySearch,
  auditSearch,
  expensesSearch,
  newExpenseSearch,
  signInSearch,
  supportSearch,
} from './search.ts'
import { NotFoundView } from './shell/not-found-view.tsx'
import { OrganizationShell } from './shell/organization-shell.tsx'
import { PersonalShell } from './shell/personal-shell.tsx'

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

/** For designers, in development only. */
const kit = createRoute({
  getParentRoute: () => root,
  path: '/kit',
  component: lazyRouteComponent(() => import('./routes/kit/kit-page.tsx'), 'KitPage'),
})

/** Everything below needs a session at the gateway. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: async ({ context, location }) => {
    const session: Session = await context.cache.ensureQueryData(sessionQuery)
    if (session.state === 'signed_out') {
      throw redirect({ to: '/sign-in', search: { returnTo: location.href } })
    }
    beginAs(session.accountId, 'consumer')
    return { accountId: session.accountId }
  },
})

const personal = createRoute({
  getParentRoute: () => signedIn,
  id: 'personal',
  component: PersonalShell,
})

const start = createRoute({
  getParentRoute: () => personal,
  path: '/',
  component: lazyRouteComponent(() => import('./routes/start/start-page.tsx'), 'StartPage'),
})
const join = createRoute({
  getParentRoute: () => personal,
  path: '/join/$token',
  component: lazyRouteComponent(() => import('./routes/start/join-page.tsx'), 'JoinPage'),
})
const notification = createRoute({
  getParentRoute: () => personal,
  path: '/n/$eventId',
  component: lazyRouteComponent(
    () => import('./routes/start/notification-page.tsx'),
    'NotificationPage',
  ),
})
const wallets = createRoute({
  getParentRoute: () => personal,
  path: '/wallets',
  component: lazyRouteComponent(() => import('./routes/wallets/wallets-page.tsx'), 'WalletsPage'),
})
const walletExport = createRoute({
  getParentRoute: () => personal,
  path: '/wallets/$walletId/export',
  component: lazyRouteComponent(() => import('./routes/wallets/export-page.tsx'), 'ExportPage'),
})
const settings = createRoute({
  getParentRoute: () => personal,
  path: '/settings',
  component: lazyRouteComponent(
    () => import('./routes/settings/settings-page.tsx'),
    'SettingsPage',
  ),
})
const notifications = createRoute({
  getParentRoute: () => personal,
  path: '/notifications',
  component: lazyRouteComponent(
    () => import('./routes/notifications/notifications-page.tsx'),
    'NotificationsPage',
  ),
})

const organization = createRoute({
  getParentRoute: () => signedIn,
  path: '/organizations/$organizationId',
  component: OrganizationShell,
})

const inbox = createRoute({
  getParentRoute: () => organization,
  path: '/',
  // The screen that is opened first, every morning: it comes with the application.
  component: InboxPage,
})
/** The list, and beside it the open expense. */
const expenses = createRoute({
  getParentRoute: () => organization,
  path: '/expenses',
  validateSearch: expensesSearch,
  component: lazyRouteComponent(
    () => import('./routes/expenses/expenses-page.tsx'),
    'ExpensesPage',
  ),
})
const expense = createRoute({
  getParentRoute: () => expenses,
  path: '/$expenseId',
  component: lazyRouteComponent(() => import('./routes/expenses/expense-page.tsx'), 'ExpensePage'),
})
const newExpense = createRoute({
  getParentRoute: () => organization,
  path: '/expenses/new',
  validateSearch: newExpenseSearch,
  component: lazyRouteComponent(
    () => import('./routes/expenses/new-expense-page.tsx'),
    'NewExpensePage',
  ),
})
const reviseExpense = createRoute({
  getParentRoute: () => organization,
  path: '/expenses/$expenseId/revise',
  component: lazyRouteComponent(
    () => import('./routes/expenses/revise-expense-page.tsx'),
    'ReviseExpensePage',
  ),
})
const sign = createRoute({
  getParentRoute: () => organization,
  path: '/expenses/$expenseId/sign',
  component: lazyRouteComponent(() => import('./routes/sign/sign-page.tsx'), 'SignPage'),
})
const activity = createRoute({
  getParentRoute: () => organization,
  path: '/activity',
  validateSearch: activitySearch,
  component: lazyRouteComponent(
    () => import('./routes/activity/activity-page.tsx'),
    'ActivityPage',
  ),
})
const payment = createRoute({
  getParentRoute: () => organization,
  path: '/payments/$paymentId',
  component: lazyRouteComponent(() => import('./routes/payments/payment-page.tsx'), 'PaymentPage'),
})
const spending = createRoute({
  getParentRoute: () => organization,
  path: '/spending',
  component: lazyRouteComponent(
    () => import('./routes/spending/spending-page.tsx'),
    'SpendingPage',
  ),
})
const treasury = createRoute({
  getParentRoute: () => organization,
  path: '/treasury',
  component: lazyRouteComponent(
    () => import('./routes/treasury/treasury-page.tsx'),
    'TreasuryPage',
  ),
})
const newVault = createRoute({
  getParentRoute: () => organization,
  path: '/treasury/new',
  component: lazyRouteComponent(
    () => import('./routes/treasury/new-vault-page.tsx'),
    'NewVaultPage',
  ),
})
const executor = createRoute({
  getParentRoute: () => organization,
  path: '/treasury/executor',
  component: lazyRouteComponent(
    () => import('./routes/treasury/executor-page.tsx'),
    'ExecutorPage',
  ),
})
const vault = createRoute({
  getParentRoute: () => organization,
  path: '/treasury/$vaultId',
  component: lazyRouteComponent(() => import('./routes/treasury/vault-page.tsx'), 'VaultPage'),
})
const policy = createRoute({
  getParentRoute: () => organization,
  path: '/treasury/$vaultId/policy',
  component: lazyRouteComponent(() => import('./routes/treasury/policy-page.tsx'), 'PolicyPage'),
})
const vaultRecipients = createRoute({
  getParentRoute: () => organization,
  path: '/treasury/$vaultId/recipients',
  component: lazyRouteComponent(
    () => import('./routes/treasury/vault-recipients-page.tsx'),
    'VaultRecipientsPage',
  ),
})
const funding = createRoute({
  getParentRoute: () => organization,
  path: '/treasury/$vaultId/funding',
  component: lazyRouteComponent(() => import('./routes/treasury/funding-page.tsx'), 'FundingPage'),
})
const recipients = createRoute({
  getParentRoute: () => organization,
  path: '/recipients',
  component: lazyRouteComponent(
    () => import('./routes/recipients/recipients-page.tsx'),
    'RecipientsPage',
  ),
})
const importRecipients = createRoute({
  getParentRoute: () => organization,
  path: '/recipients/import',
  component: lazyRouteComponent(() => import('./routes/recipients/import-page.tsx'), 'ImportPage'),
})
const people = createRoute({
  getParentRoute: () => organization,
  path: '/people',
  component: lazyRouteComponent(() => import('./routes/people/people-page.tsx'), 'PeoplePage'),
})
const webhooks = createRoute({
  getParentRoute: () => organization,
  path: '/webhooks',
  component: lazyRouteComponent(
    () => import('./routes/webhooks/webhooks-page.tsx'),
    'WebhooksPage',
  ),
})
const audit = createRoute({
  getParentRoute: () => organization,
  path: '/audit',
  validateSearch: auditSearch,
  component: lazyRouteComponent(() => import('./routes/audit/audit-page.tsx'), 'AuditPage'),
})
const support = createRoute({
  getParentRoute: () => organization,
  path: '/support',
  validateSearch: supportSearch,
  component: lazyRouteComponent(() => import('./routes/support/support-page.tsx'), 'SupportPage'),
})
const supportCase = createRoute({
  getParentRoute: () => organization,
  path: '/support-cases/$caseId',
  component: lazyRouteComponent(
    () => import('./routes/support/support-case-page.tsx'),
    'SupportCasePage',
  ),
})
const organizationSettings = createRoute({
  getParentRoute: () => organization,
  path: '/settings',
  component: lazyRouteComponent(
    () => import('./routes/settings/organization-settings-page.tsx'),
    'OrganizationSettingsPage',
  ),
})

/** Addresses that messages of the service carry, and that have no page of their own. */
const oneMember = createRoute({
  getParentRoute: () => organization,
  path: '/members/$membershipId',
  beforeLoad: ({ params: { organizationId } }) => {
    throw redirect({ to: '/organizations/$organizationId/people', params: { organizationId } })
  },
})
const unrecordedPayment = createRoute({
  getParentRoute: () => organization,
  path: '/unrecorded-payments/$unrecordedPaymentId',
  beforeLoad: ({ params: { organizationId } }) => {
    throw redirect({ to: '/organizations/$organizationId/activity', params: { organizationId } })
  },
})

const tree = root.addChildren([
  signIn,
  kit,
  signedIn.addChildren([
    personal.addChildren([
      start,
      join,
      notification,
      wallets,
      walletExport,
      settings,
      notifications,
    ]),
    organization.addChildren([
      inbox,
      newExpense,
      reviseExpense,
      sign,
      expenses.addChildren([expense]),
      activity,
      payment,
      spending,
      treasury,
      newVault,
      executor,
      vault,
      policy,
      vaultRecipients,
      funding,
      recipients,
      importRecipients,
      people,
      webhooks,
      audit,
      support,
      supportCase,
      organizationSettings,
      oneMember,
      unrecordedPayment,
    ]),
  ]),
])

export const createAppRouter = (cache: QueryClient) =>
  createRouter({
    routeTree: tree,
    context: { cache },
    defaultPreload: 'intent',
    // Preloading fetches code, never data: a read can be recorded.
    defaultPreloadStaleTime: 0,
    defaultErrorComponent: AppErrorView,
    defaultNotFoundComponent: NotFoundView,
    scrollRestoration: true,
  })

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>
  }
}
