import { Button } from '@countersign/ui/button.tsx'
import { Page } from '@countersign/ui/page.tsx'
import { Trans } from '@lingui/react/macro'
import type { ErrorComponentProps } from '@tanstack/react-router'
import { failureOf } from '../data/api.ts'
import { FailureNotice } from './failure-notice.tsx'

/** Instead of a screen that could not be drawn. */
export function AppErrorView({ error, reset }: ErrorComponentProps) {
  const failure = failureOf(error)
  return (
    <Page width="reading" title={<Trans>This page could not be shown</Trans>}>
      {failure ? (
        <FailureNotice failure={failure} onRetry={reset} />
      ) : (
        <>
          <p className="text-muted">
            <Trans>
              Reload the page. If it was changed on its way to you, your browser has refused it, and
              reloading will not help: contact support, and sign nothing.
            </Trans>
          </p>
          <p className="my-4 font-mono text-sm">
            {error instanceof Error ? error.message : String(error)}
          </p>
          <Button look="primary" onClick={() => location.reload()}>
            <Trans>Reload</Trans>
          </Button>
        </>
      )}
    </Page>
  )
}
