import { failureOf } from '@countersign/app-kit/data/api.ts'
import { useLive } from '@countersign/app-kit/data/live.tsx'
import { useRead } from '@countersign/app-kit/data/queries.ts'
import { FailureNotice } from '@countersign/app-kit/shell/failure-notice.tsx'
import type { LiveState } from '@countersign/client/live.ts'
import { TokenContext } from '@countersign/ui/money.tsx'
import { Skeleton } from '@countersign/ui/page.tsx'
import { useLingui } from '@lingui/react/macro'
import { getRouteApi, Outlet } from '@tanstack/react-router'
import { lazy, Suspense, useMemo } from 'react'
import { LiveProvider } from '../data/live.tsx'
import { type Me, type OpenOrganization, OrganizationContext } from '../data/organization.tsx'
import { AccessEndedView } from './access-ended-view.tsx'
import { BottomBar } from './bottom-bar.tsx'
import { PushMessages } from './push-messages.tsx'
import { useShortcuts } from './shortcuts.ts'
import { SideBar } from './side-bar.tsx'
import { TopBar } from './top-bar.tsx'

type Membership = Me['memberships'][number]

const route = getRouteApi('/signed-in/organizations/$organizationId')
const CommandMenu = lazy(async () => ({
  default: (await import('./command-menu.tsx')).CommandMenu,
}))
const ShortcutSheet = lazy(async () => ({
  default: (await import('./shortcut-sheet.tsx')).ShortcutSheet,
}))

const findActive = (memberships: readonly Membership[] | undefined, organizationId: string) =>
  memberships?.find((each) => each.organizationId === organizationId && each.status === 'active')

/** Reads who the person is in this organization, then shows its screens with the live stream. */
export function OrganizationShell() {
  const { t } = useLingui()
  const { organizationId } = route.useParams()
  const { accountId } = route.useRouteContext()
  const me = useRead('getAccount', {})
  const config = useRead('getClientConfig', {})
  const listed = findActive(me.data?.memberships, organizationId)
  // Of an account in very many organizations only the newest memberships are listed.
  const isUnlisted = !listed && Boolean(me.data?.membershipsNextCursor)
  const unlisted = useRead(
    'listMemberships',
    { query: { organizationId } },
    { isEnabled: isUnlisted },
  )
  const membership = listed ?? findActive(unlisted.data?.memberships, organizationId)
  const organization = useMemo<OpenOrganization | null>(() => {
    if (!membership || !me.data || !config.data) return null
    const { organizationName: name, role } = membership
    return { id: organizationId, name, role, accountId, me: me.data, config: config.data }
  }, [membership, me.data, config.data, organizationId, accountId])

  const failure = failureOf(me.error ?? config.error ?? unlisted.error)
  if (failure && !organization) {
    return (
      <div className="mx-auto max-w-2xl p-6">
        <FailureNotice
          failure={failure}
          onRetry={() =>
            void Promise.all([me.refetch(), config.refetch(), isUnlisted && unlisted.refetch()])
          }
        />
      </div>
    )
  }
  const isLooking = isUnlisted && unlisted.isPending
  if (me.data && !membership && !isLooking) return <AccessEndedView />
  if (!organization) {
    return (
      <div role="status" aria-label={t`Loading`} className="p-6">
        <Skeleton lines={6} />
      </div>
    )
  }
  return (
    <OrganizationContext value={organization}>
      <TokenContext value={organization.config.token}>
        <LiveProvider organizationId={organizationId} accountId={accountId}>
          <OpenShell />
        </LiveProvider>
      </TokenContext>
    </OrganizationContext>
  )
}

const hasLostAccess = (state: LiveState): boolean =>
  state.phase === 'ended' &&
  (state.reason === 'access' || (state.reason === 'refused' && state.failure.status === 403))

function OpenShell() {
  const { t } = useLingui()
  const { state } = useLive()
  const { overlay, close } = useShortcuts()
  // The service ended the stream because the membership ended. Everything else would be refused.
  if (hasLostAccess(state)) return <AccessEndedView />
  return (
    <div className="lg:grid lg:grid-cols-[15.5rem_1fr]">
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:fixed focus:start-3 focus:top-3 focus:z-50 focus:rounded-md focus:bg-raised focus:px-4 focus:py-2 focus:shadow-raised"
      >
        {t`Skip to the content`}
      </a>
      <PushMessages />
      <SideBar />
      <div className="min-w-0">
        <TopBar />
        <main id="main" tabIndex={-1} className="outline-none">
          <Outlet />
        </main>
      </div>
      <BottomBar />
      <Suspense>
        {overlay === 'menu' && <CommandMenu onClose={close} />}
        {overlay === 'shortcuts' && <ShortcutSheet onClose={close} />}
      </Suspense>
    </div>
  )
}
