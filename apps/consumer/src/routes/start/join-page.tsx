import { useAction } from '@countersign/app-kit/data/actions.ts'
import { useRead } from '@countersign/app-kit/data/queries.ts'
import { FailureNotice } from '@countersign/app-kit/shell/failure-notice.tsx'
import { ROLES } from '@countersign/app-kit/words/states.ts'
import type { DataOf } from '@countersign/client/operation-types.ts'
import { Button, buttonStyle } from '@countersign/ui/button.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Card, Page } from '@countersign/ui/page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'

const route = getRouteApi('/signed-in/personal/join/$token')

/** Nothing happens before the person says so: opening a link is not consent. */
export function JoinPage() {
  const { token } = route.useParams()
  const navigate = useNavigate()
  const me = useRead('getAccount', {})
  const accept = useAction('acceptInvitation', ['getAccount', 'listOrganizations'])
  const [joined, setJoined] = useState<DataOf<'acceptInvitation'> | null>(null)
  const submit = async () => {
    const accepted = await accept.run({ path: { token } })
    if (!accepted.ok) return
    if (accepted.data.status === 'pending') return setJoined(accepted.data)
    const { organizationId } = accepted.data
    await navigate({ to: '/organizations/$organizationId', params: { organizationId } })
  }
  if (joined) return <PendingView joined={joined} />
  const isUnusable = accept.failure?.code === 'invitation_unusable'
  return (
    <Page width="reading" title={<Trans>You were invited to an organization</Trans>}>
      <Card>
        <div className="flex flex-col gap-4">
          <p>
            <Trans>
              If you accept, you become a member and can see what your role allows. Its members see
              your name and the addresses of your wallets.
            </Trans>
          </p>
          {/* Its line is there from the start, so that the button does not move under a thumb. */}
          <p className="min-h-5 text-muted text-sm">
            {me.data?.account.displayName && (
              <Trans>
                You are signed in as{' '}
                <bdi className="font-medium">{me.data.account.displayName}</bdi>.
              </Trans>
            )}
          </p>
          {isUnusable ? (
            <Notice tone="warn" isLive title={<Trans>This invitation cannot be used</Trans>}>
              <Trans>
                It may have been used, revoked or expired, be meant for another e-mail address, or
                you are a member already. Ask for a new one.
              </Trans>
            </Notice>
          ) : (
            accept.failure && <FailureNotice failure={accept.failure} onRetry={submit} />
          )}
          <div className="flex flex-wrap gap-2">
            {!isUnusable && (
              <Button look="primary" isBusy={accept.isBusy} onClick={submit}>
                <Trans>Accept the invitation</Trans>
              </Button>
            )}
            <Link to="/" className={buttonStyle({})}>
              <Trans>Go to your organizations</Trans>
            </Link>
          </div>
        </div>
      </Card>
    </Page>
  )
}

function PendingView({ joined }: { joined: DataOf<'acceptInvitation'> }) {
  const { i18n } = useLingui()
  return (
    <Page width="reading" title={<Trans>Almost there</Trans>}>
      <Notice
        tone="info"
        isLive
        title={
          <Trans>
            An owner of <bdi>{joined.organizationName}</bdi> has to confirm that you join
          </Trans>
        }
        actions={
          <Link to="/" className={buttonStyle({ size: 'small' })}>
            <Trans>Go to your organizations</Trans>
          </Link>
        }
      >
        <Trans>
          You will join with this role: {i18n._(ROLES[joined.role])}. Until then you see nothing of
          the organization; you do not have to keep this page open.
        </Trans>
      </Notice>
    </Page>
  )
}
