import { client } from '@countersign/app-kit/data/api.ts'
import { FailureNotice } from '@countersign/app-kit/shell/failure-notice.tsx'
import type { Failure } from '@countersign/client/errors.ts'
import { Button } from '@countersign/ui/button.tsx'
import { Dialog } from '@countersign/ui/dialog.tsx'
import { ChoiceGroup, Radio } from '@countersign/ui/field.tsx'
import { say } from '@countersign/ui/say.ts'
import { Trans, useLingui } from '@lingui/react/macro'
import { useRef, useState } from 'react'
import { isOwnerOrManager, useOrganization } from '../../data/organization.tsx'
import { readExport } from '../../data/read-export.ts'
import { saveFile } from '../../save-file.ts'
import { exportName } from './export-name.ts'

const FORMATS = ['plain', 'xero', 'quickbooks'] as const
type Format = (typeof FORMATS)[number]
type Props = { from: string | undefined; to: string | undefined }

export function ExportPayments({ from, to }: Props) {
  const { t } = useLingui()
  const organization = useOrganization()
  const [isOpen, setOpen] = useState(false)
  const [format, setFormat] = useState<Format>('plain')
  const [bytes, setBytes] = useState<number | null>(null)
  const [failure, setFailure] = useState<Failure | null>(null)
  const stopping = useRef<AbortController | null>(null)

  const run = async () => {
    const stop = new AbortController()
    stopping.current = stop
    setFailure(null)
    setBytes(0)
    const call = client.call('exportPayments', {
      path: { organizationId: organization.id },
      query: { format, ...(from && { from }), ...(to && { to }) },
      as: 'stream',
      signal: stop.signal,
    })
    const read = await readExport(call, {
      type: 'text/csv',
      signal: stop.signal,
      onBytes: setBytes,
    })
    setBytes(null)
    if (!read) return
    if (!read.ok) return setFailure(read.failure)
    saveFile(`${exportName(format, { from, to })}.csv`, read.file)
    say(t`The payments are exported`)
    setOpen(false)
  }
  const names: Record<Format, { label: string; hint: string }> = {
    plain: { label: t`Plain CSV`, hint: t`Every column, for spreadsheets and auditors` },
    xero: { label: t`Xero`, hint: t`The columns that Xero imports` },
    quickbooks: { label: t`QuickBooks`, hint: t`The columns that QuickBooks imports` },
  }
  const kibibytes = Math.ceil((bytes ?? 0) / 1024)
  return (
    <>
      <Button
        reason={
          isOwnerOrManager(organization)
            ? undefined
            : t`Owners and managers of the organization can export payments.`
        }
        onClick={() => setOpen(true)}
      >
        <Trans>Export</Trans>
      </Button>
      <Dialog
        isOpen={isOpen}
        onClose={() => {
          stopping.current?.abort()
          setOpen(false)
        }}
        title={<Trans>Export payments</Trans>}
        description={
          from || to ? (
            <Trans>
              Payments that became final between {from ?? '…'} and {to ?? '…'}.
            </Trans>
          ) : (
            <Trans>All payments that are final so far.</Trans>
          )
        }
        actions={
          bytes === null ? (
            <Button look="primary" onClick={() => void run()}>
              <Trans>Export</Trans>
            </Button>
          ) : (
            <>
              <span role="status" className="figures me-auto self-center text-muted">
                <Trans>{kibibytes} KiB received</Trans>
              </span>
              <Button onClick={() => stopping.current?.abort()}>
                <Trans>Stop</Trans>
              </Button>
            </>
          )
        }
      >
        {failure && <FailureNotice failure={failure} onRetry={() => void run()} />}
        <ChoiceGroup label={<Trans>Format</Trans>}>
          {FORMATS.map((each) => (
            <Radio
              key={each}
              name="format"
              label={names[each].label}
              hint={names[each].hint}
              checked={format === each}
              onChange={() => setFormat(each)}
            />
          ))}
        </ChoiceGroup>
        <p className="mt-2 text-muted text-sm">
          <Trans>Each export is recorded in the audit trail.</Trans>
        </p>
      </Dialog>
    </>
  )
}
