import { failureOf } from '@countersign/app-kit/data/api.ts'
import { useRead } from '@countersign/app-kit/data/queries.ts'
import { FailureNotice } from '@countersign/app-kit/shell/failure-notice.tsx'
import { buttonStyle } from '@countersign/ui/button.tsx'
import { Page, Skeleton } from '@countersign/ui/page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { pathOfNotification } from './notification-route.ts'

const route = getRouteApi('/signed-in/personal/n/$eventId')

/** Goes on to what a push message is about, if this person may still see it. */
export function NotificationPage() {
  const { t } = useLingui()
  const { eventId } = route.useParams()
  const navigate = useNavigate()
  const notification = useRead('getNotification', { path: { eventId } })
  const path = notification.data && pathOfNotification(notification.data.route)
  useEffect(() => {
    if (path) void navigate({ to: path, replace: true })
  }, [path, navigate])

  const failure = failureOf(notification.error)
  const isGone = failure?.status === 403 || failure?.status === 404 || failure?.status === 400
  if (failure && !isGone) {
    return (
      <Page width="reading" title={<Trans>Notification</Trans>}>
        <FailureNotice failure={failure} onRetry={() => void notification.refetch()} />
      </Page>
    )
  }
  if (isGone || path === null) {
    return (
      <Page
        width="reading"
        title={<Trans>You no longer have access to this</Trans>}
        lead={
          <Trans>
            The message is older than seven days, or you no longer have a part in what it was about.
          </Trans>
        }
      >
        <Link to="/" className={buttonStyle({ look: 'primary' })}>
          <Trans>Go to your organizations</Trans>
        </Link>
      </Page>
    )
  }
  return (
    <div role="status" aria-label={t`Loading`} className="mx-auto max-w-2xl p-6">
      <Skeleton lines={3} />
    </div>
  )
}
