import { Button } from '@countersign/ui/button.tsx'
import { Moment } from '@countersign/ui/moment.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Trans } from '@lingui/react/macro'
import { RotateCw } from 'lucide-react'
import type { ReactNode } from 'react'

type Read = { dataUpdatedAt: number; isFetching: boolean; refetch(): Promise<unknown> }

/** When the page was read, and the one way to read it again. */
export function ReadAgain({ of }: { of: Read }) {
  return (
    <span className="flex flex-wrap items-center gap-3 text-muted text-sm">
      {of.dataUpdatedAt > 0 && (
        <span>
          <Trans>
            read <Moment at={new Date(of.dataUpdatedAt).toISOString()} />
          </Trans>
        </span>
      )}
      <Button size="small" isBusy={of.isFetching} onClick={() => void of.refetch()}>
        <RotateCw className="size-4" aria-hidden="true" />
        <Trans>Read again</Trans>
      </Button>
    </span>
  )
}

/** Something changed meanwhile. The page says so and waits: reading is recorded. */
export function NewsNotice({
  of,
  count,
  children,
}: {
  of: Read
  count: number
  children: ReactNode
}) {
  if (count === 0) return null
  return (
    <div className="mb-4">
      <Notice
        tone="info"
        isLive
        title={children}
        actions={
          <Button size="small" isBusy={of.isFetching} onClick={() => void of.refetch()}>
            <Trans>Read again</Trans>
          </Button>
        }
      />
    </div>
  )
}
