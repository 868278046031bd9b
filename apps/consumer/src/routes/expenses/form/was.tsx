import { Trans } from '@lingui/react/macro'
import type { ReactNode } from 'react'

/** Marks a field that differs from the revision before. */
export function Was({
  isChanged,
  children,
}: {
  isChanged: boolean | undefined
  children?: ReactNode
}) {
  if (!isChanged) return null
  return (
    <span className="rounded-sm bg-warn-soft px-1.5 text-warn">
      {children ? <Trans>was {children}</Trans> : <Trans>changed</Trans>}
    </span>
  )
}
