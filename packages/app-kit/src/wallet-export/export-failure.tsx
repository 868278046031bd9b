import type { Failure } from '@countersign/client/errors.ts'
import { Moment } from '@countersign/ui/moment.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Trans } from '@lingui/react/macro'
import { useState } from 'react'
import { FailureNotice } from '../shell/failure-notice.tsx'
import { type ExportLimit, exportLimitOf } from './export-limits.ts'
import type { OwnProblem } from './use-ceremony.ts'

type Props = { failure: Failure | null; problem: OwnProblem | null }

/** What went wrong with an export, and when it can be tried again. */
export function ExportFailure({ failure, problem }: Props) {
  if (problem) return <OwnProblemNotice problem={problem} />
  if (!failure) return null
  const limit = exportLimitOf(failure)
  if (limit) return <WaitNotice key={failure.requestId} failure={failure} limit={limit} />
  if (failure.code === 'fresh_authentication_required') {
    return (
      <Notice tone="warn" isLive title={<Trans>The proof was not accepted</Trans>}>
        <Trans>
          It has to be new, with two factors, and by the person the wallet belongs to. Prove it
          again. Three failed attempts lock the export of this wallet for a day.
        </Trans>
      </Notice>
    )
  }
  if (failure.code === 'export_unusable') {
    return (
      <Notice tone="warn" isLive title={<Trans>This export has ended</Trans>}>
        <Trans>
          It took too long, a newer one was started, or the provider refused it. Start again.
        </Trans>
      </Notice>
    )
  }
  return <FailureNotice failure={failure} />
}

function WaitNotice({ failure, limit }: { failure: Failure; limit: ExportLimit }) {
  const [until] = useState(() => new Date(Date.now() + (failure.retryAfterMs ?? 0)).toISOString())
  const again = <Moment at={until} style="full" />
  return limit === 'lock' ? (
    <Notice tone="bad" isLive title={<Trans>The export of this wallet is locked</Trans>}>
      <Trans>
        There were three failed attempts. It is locked until {again}. If they were not yours, tell
        support.
      </Trans>
    </Notice>
  ) : (
    <Notice tone="warn" isLive title={<Trans>Too many exports in an hour</Trans>}>
      <Trans>Five can be requested in an hour. You can try again {again}.</Trans>
    </Notice>
  )
}

function OwnProblemNotice({ problem }: { problem: OwnProblem }) {
  if (problem === 'cannot_store') {
    return (
      <Notice tone="bad" isLive title={<Trans>This browser cannot keep the one-time key</Trans>}>
        <Trans>Private windows and some settings forbid it. Use an ordinary window.</Trans>
      </Notice>
    )
  }
  return (
    <Notice tone="bad" isLive title={<Trans>Something is wrong: do not continue</Trans>}>
      {problem === 'other_payload' ? (
        <Trans>
          The service asked to sign an export for another key or request. Nothing was signed. Tell
          support.
        </Trans>
      ) : (
        <Trans>
          What came back was not sealed to this browser, and could not be opened. Contact support.
        </Trans>
      )}
    </Notice>
  )
}
