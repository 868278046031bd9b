import { client } from '@countersign/app-kit/data/api.ts'
import { FailureNotice } from '@countersign/app-kit/shell/failure-notice.tsx'
import type { Failure } from '@countersign/client/errors.ts'
import { Button } from '@countersign/ui/button.tsx'
import { Dialog } from '@countersign/ui/dialog.tsx'
import { ChoiceGroup, Radio } from '@countersign/ui/field.tsx'
import { say } from '@countersign/ui/say.ts'
import { Trans, useLingui } from '@lingui/react/macro'
import { useEffect, useRef, useState } from 'react'
import { useOrganization } from '../../../data/organization.tsx'
import { readExport } from '../../../data/read-export.ts'
import { saveFile } from '../../../save-file.ts'
import { exportListed } from './export-listed.ts'
import { isOnlyDates, type Query, type Search } from './filters.ts'

type Format = 'listed' | 'plain' | 'xero' | 'quickbooks'
type Props = { search: Search; query: Query; onClose(): void }

/** What is listed, or a file of the service for the accountant, which knows dates only. */
export function ExportDialog({ search, query, onClose }: Props) {
  const { t } = useLingui()
  const { id: organizationId, config } = useOrganization()
  const [format, setFormat] = useState<Format>(isOnlyDates(search) ? 'plain' : 'listed')
  const [count, setCount] = useState<number | null>(null)
  const [failure, setFailure] = useState<Failure | null>(null)
  const stop = useRef(new AbortController())
  useEffect(() => () => stop.current.abort(), [])

  const read = () => {
    const { signal } = stop.current
    if (format === 'listed') {
      const asked = { organizationId, query, token: config.token, signal, onProgress: setCount }
      return exportListed(asked)
    }
    const dates = {
      ...(search.from && { from: search.from }),
      ...(search.to && { to: search.to }),
    }
    const call = client.call('exportExpenses', {
      path: { organizationId },
      query: { ...dates, format },
      as: 'stream',
      signal,
    })
    return readExport(call, { type: 'text/csv', signal })
  }
  const run = async () => {
    setFailure(null)
    setCount(0)
    const made = await read()
    setCount(null)
    if (!made || stop.current.signal.aborted) return
    if (!made.ok) return setFailure(made.failure)
    saveFile(`expenses-${format}.csv`, made.file)
    say(t`The file is in your downloads.`)
    onClose()
  }
  const choices: { value: Format; label: string; hint: string }[] = [
    {
      value: 'listed',
      label: t`What is listed now`,
      hint: t`With the view and all filters.`,
    },
    {
      value: 'plain',
      label: t`All columns`,
      hint: t`For the chosen dates. Other filters do not apply.`,
    },
    {
      value: 'xero',
      label: t`Bills for Xero`,
      hint: t`For the chosen dates, without drafts, rejected and cancelled expenses.`,
    },
    {
      value: 'quickbooks',
      label: t`Bills for QuickBooks`,
      hint: t`For the chosen dates, without drafts, rejected and cancelled expenses.`,
    },
  ]
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t`Export expenses`}
      description={t`A CSV file. Exports of the service are recorded in the audit trail.`}
      actions={
        <>
          <Button onClick={onClose}>
            <Trans>Not now</Trans>
          </Button>
          <Button look="primary" isBusy={count !== null} onClick={() => void run()}>
            <Trans>Export</Trans>
          </Button>
        </>
      }
    >
      <ChoiceGroup label={t`What`}>
        {choices.map(({ value, ...about }) => (
          <Radio
            key={value}
            {...about}
            name="format"
            checked={format === value}
            onChange={() => setFormat(value)}
          />
        ))}
      </ChoiceGroup>
      <p role="status" className="text-muted text-sm">
        {count !== null && count > 0 && <Trans>{count} loaded so far</Trans>}
      </p>
      {failure && <FailureNotice failure={failure} />}
    </Dialog>
  )
}
