import type { Failure } from '@countersign/client/errors.ts'
import { Button } from '@countersign/ui/button.tsx'
import { CopyButton } from '@countersign/ui/copy-button.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { signInPath } from '../data/session.ts'
import { useFailureWords } from '../words/failures.ts'

type Props = {
  failure: Failure
  /** Reads or sends again. */
  onRetry?: (() => void) | undefined
  /** The step that removes the cause, such as a link to the treasury. */
  action?: ReactNode
}

const TONES = {
  correct: 'warn',
  refresh: 'info',
  not_allowed: 'warn',
  not_ready: 'warn',
  sign_in: 'info',
  wait: 'info',
  report: 'bad',
} as const

/** One treatment per kind of failure (docs/ERRORS.md), the same on every screen. */
export function FailureNotice({ failure, onRetry, action }: Props) {
  const { t } = useLingui()
  const { text, detail } = useFailureWords(failure)
  const here = `${location.pathname}${location.search}`
  return (
    <Notice
      tone={TONES[failure.treatment]}
      isLive
      title={text}
      actions={
        <>
          {action}
          {failure.treatment === 'sign_in' && (
            <Button size="small" look="primary" onClick={() => location.assign(signInPath(here))}>
              <Trans>Sign in again</Trans>
            </Button>
          )}
          {onRetry && failure.treatment !== 'sign_in' && (
            <Button size="small" onClick={onRetry}>
              <Trans>Try again</Trans>
            </Button>
          )}
        </>
      }
    >
      {detail && <span lang="en">{detail}</span>}
      {failure.treatment === 'report' && failure.requestId && (
        <span className="flex items-center gap-1">
          <Trans>Request</Trans> <span className="font-mono">{failure.requestId}</span>
          <CopyButton text={failure.requestId} label={t`Copy the request id`} />
        </span>
      )}
    </Notice>
  )
}
