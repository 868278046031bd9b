import { client } from '@countersign/app-kit/data/api.ts'
import { useRead } from '@countersign/app-kit/data/queries.ts'
import { FailureNotice } from '@countersign/app-kit/shell/failure-notice.tsx'
import { ReadView } from '@countersign/app-kit/shell/read-view.tsx'
import type { Failure } from '@countersign/client/errors.ts'
import { type CheckedTrail, checkTrail } from '@countersign/proof/check-trail.ts'
import { Hash } from '@countersign/ui/address.tsx'
import { Button } from '@countersign/ui/button.tsx'
import { Moment } from '@countersign/ui/moment.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Card, Fact, Facts, Section } from '@countersign/ui/page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { Download, ShieldCheck } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useOrganization } from '../../data/organization.tsx'
import { readExport } from '../../data/read-export.ts'
import { saveFile } from '../../save-file.ts'
import { chunksOf, keepHead, keptHead } from './trail-file.ts'
import { TrailVerdict } from './trail-verdict.tsx'

type State =
  | { kind: 'idle' }
  | { kind: 'busy' }
  | { kind: 'failed'; failure: Failure }
  | { kind: 'checked'; checked: CheckedTrail; file: Blob }

/** The head of the trail, and the whole of it checked in this page. */
export function TrailCheck() {
  const { t, i18n } = useLingui()
  const { id: organizationId } = useOrganization()
  const path = { organizationId }
  const head = useRead('getAuditHead', { path })
  const [state, setState] = useState<State>({ kind: 'idle' })
  const [kept, setKept] = useState(() => keptHead(organizationId))
  const [bytes, setBytes] = useState(0)
  const stop = useRef(new AbortController())
  useEffect(() => () => stop.current.abort(), [])
  const kibibytes = Math.ceil(bytes / 1024)
  const check = async () => {
    setBytes(0)
    setState({ kind: 'busy' })
    const { signal } = stop.current
    const call = client.call('exportAuditTrail', { path, as: 'stream', signal })
    const exported = await readExport(call, {
      type: 'application/x-ndjson',
      signal,
      onBytes: setBytes,
    })
    if (!exported) return
    if (!exported.ok) return setState({ kind: 'failed', failure: exported.failure })
    const heads = kept ? [kept] : []
    const checked = await checkTrail(chunksOf(exported.file), { organizationId, heads })
    setState({ kind: 'checked', checked, file: exported.file })
    // The export is an event of the trail itself.
    void head.refetch()
  }
  return (
    <Section title={<Trans>Is the trail whole?</Trans>}>
      <Card>
        <div className="flex flex-col gap-4">
          <ReadView of={head} lines={2}>
            {({ sequence, hash, at }) => (
              <>
                <Facts>
                  <Fact term={<Trans>Events</Trans>}>
                    <span className="figures">{i18n.number(sequence)}</span>
                  </Fact>
                  <Fact term={<Trans>Head</Trans>}>
                    <Hash hash={hash} label={t`Copy the hash`} />
                  </Fact>
                  <Fact term={<Trans>Last event</Trans>}>
                    <Moment at={at} style="full" />
                  </Fact>
                  <Fact term={<Trans>Kept until you sign out</Trans>}>
                    {kept ? (
                      <Trans>
                        event {kept.sequence}, <Moment at={kept.keptAt} style="full" />
                      </Trans>
                    ) : (
                      <span className="text-muted">
                        <Trans>No head kept yet.</Trans>
                      </span>
                    )}
                  </Fact>
                </Facts>
                <p className="text-muted text-sm">
                  <Trans>
                    Every event carries the hash of the one before it. Whoever keeps a head
                    elsewhere can tell later whether events were cut off or rewritten. Signing out
                    clears this browser, so copy the head to another place as well.
                  </Trans>
                </p>
                <div className="flex flex-wrap gap-2">
                  <Button look="primary" isBusy={state.kind === 'busy'} onClick={check}>
                    <ShieldCheck className="size-4" aria-hidden="true" />
                    <Trans>Export and check it here</Trans>
                  </Button>
                  <Button
                    isDisabled={kept?.sequence === sequence}
                    onClick={() => {
                      keepHead(organizationId, { sequence, hash })
                      setKept(keptHead(organizationId))
                    }}
                  >
                    <Trans>Keep this head</Trans>
                  </Button>
                </div>
              </>
            )}
          </ReadView>
          {state.kind === 'busy' && (
            <Notice tone="info" isLive>
              <Trans>The trail is being read and checked.</Trans>{' '}
              <span className="figures">
                <Trans>{kibibytes} KiB received</Trans>
              </span>
            </Notice>
          )}
          {state.kind === 'failed' && (
            <FailureNotice failure={state.failure} onRetry={() => void check()} />
          )}
          {state.kind === 'checked' && (
            <>
              <TrailVerdict checked={state.checked} />
              <div>
                <Button onClick={() => saveFile(`audit-${organizationId}.jsonl`, state.file)}>
                  <Download className="size-4" aria-hidden="true" />
                  <Trans>Save the file</Trans>
                </Button>
              </div>
            </>
          )}
        </div>
      </Card>
    </Section>
  )
}
