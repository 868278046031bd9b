import { useLive } from '@countersign/app-kit/data/live.tsx'
import { Moment } from '@countersign/ui/moment.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Trans } from '@lingui/react/macro'

/** Old news stays on the screen, with its age. */
export function StaleNotice() {
  const { state, readAt } = useLive()
  if (state.phase === 'live' || state.phase === 'connecting' || !readAt) return null
  return (
    <div className="mb-4">
      <Notice tone="warn" isLive>
        <Trans>
          This page is not updating by itself. You see the state of{' '}
          <Moment at={readAt.toISOString()} />.
        </Trans>
      </Notice>
    </div>
  )
}
