import type { DataOf } from '@countersign/client/operation-types.ts'
import { Button } from '@countersign/ui/button.tsx'
import { CopyButton } from '@countersign/ui/copy-button.tsx'
import { Moment } from '@countersign/ui/moment.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { QrCode } from '@countersign/ui/qr.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { Share2 } from 'lucide-react'
import { useOrganization } from '../../data/organization.tsx'

/** The link is shown here and nowhere else: the service does not keep it. */
export function InvitationReady({ invitation }: { invitation: DataOf<'createInvitation'> }) {
  const { t } = useLingui()
  const { name, config } = useOrganization()
  const link = `${location.origin}/join/${invitation.inviteToken}`
  const share = () =>
    // Someone who closes the sheet has decided, and nothing went wrong.
    void navigator.share({ title: t`Join ${name} on Countersign`, url: link }).catch(() => {})
  return (
    <div className="flex flex-col gap-4">
      <Notice tone="info" isLive>
        {invitation.email && config.features.email ? (
          <Trans>
            It was sent to <bdi>{invitation.email}</bdi>. This is the same link, shown only now.
          </Trans>
        ) : (
          <Trans>Give this link to the person. It is shown only now, and it works once.</Trans>
        )}
      </Notice>
      <div className="flex items-start gap-2 rounded-md bg-sunken px-3 py-2">
        <span className="min-w-0 flex-1 break-all font-mono text-sm">{link}</span>
        <CopyButton text={link} label={t`Copy the link`} />
      </div>
      {'share' in navigator && (
        <div>
          <Button onClick={share}>
            <Share2 className="size-4" aria-hidden="true" />
            <Trans>Share</Trans>
          </Button>
        </div>
      )}
      <div className="mx-auto w-48">
        <QrCode text={link} label={t`The invitation link as a QR code`} />
      </div>
      <p className="text-muted text-sm">
        <Trans>
          Valid until <Moment at={invitation.expiresAt} style="full" />.
        </Trans>
      </p>
    </div>
  )
}
