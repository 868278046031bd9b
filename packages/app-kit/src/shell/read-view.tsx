/** The three ways a read can look: on its way, failed, there. */
import { Skeleton } from '@countersign/ui/page.tsx'
import { useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { failureOf } from '../data/api.ts'
import { FailureNotice } from './failure-notice.tsx'

type Props<Data> = {
  of: {
    data: Data | undefined
    error: Error | null
    isPending: boolean
    refetch(): Promise<unknown>
  }
  /** Lines to hold the place of; 0 for what is usually empty, so that nothing below it moves. */
  lines?: number
  children: (data: Data) => ReactNode
}

/** A failed refresh keeps the old data and says so. */
export function ReadView<Data>({ of, lines = 4, children }: Props<Data>) {
  const { t } = useLingui()
  const failure = failureOf(of.error)
  return (
    <>
      {failure && (
        <div className="mb-4">
          <FailureNotice failure={failure} onRetry={() => void of.refetch()} />
        </div>
      )}
      {of.data !== undefined && children(of.data)}
      {of.isPending && lines > 0 && (
        <div role="status" aria-label={t`Loading`}>
          <Skeleton lines={lines} />
        </div>
      )}
    </>
  )
}
