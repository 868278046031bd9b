import { useAction } from '@countersign/app-kit/data/actions.ts'
import { useAllPages } from '@countersign/app-kit/data/all-pages.ts'
import { failureOf } from '@countersign/app-kit/data/api.ts'
import { FailureNotice } from '@countersign/app-kit/shell/failure-notice.tsx'
import { Button, buttonStyle } from '@countersign/ui/button.tsx'
import { Checkbox, TextArea } from '@countersign/ui/field.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Card, Page, Section } from '@countersign/ui/page.tsx'
import { say } from '@countersign/ui/say.ts'
import { plural } from '@lingui/core/macro'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Link, useNavigate } from '@tanstack/react-router'
import { FileUp } from 'lucide-react'
import { useMemo, useRef, useState } from 'react'
import { isOwnerOrManager, useOrganization } from '../../data/organization.tsx'
import { ImportPreview } from './import-preview.tsx'
import { ROWS_MAX, readRecipientFile, refusedRows } from './recipient-file.ts'

/** A name and an address cannot take more, so a larger file is something else. */
const FILE_MAX_BYTES = 256 * 1024

/** Many recipients at once: all of them, or none with the reason at each row. */
export function ImportPage() {
  const { t } = useLingui()
  const navigate = useNavigate()
  const organization = useOrganization()
  const { id: organizationId, config } = organization
  const path = { organizationId }
  const known = useAllPages('listRecipients', 'recipients', { path })
  const unread = failureOf(known.error)
  const importing = useAction('importRecipients', ['listRecipients', 'getVault'])
  const [text, setText] = useState('')
  const [isCompared, setCompared] = useState(false)
  const [fileProblem, setFileProblem] = useState<string>()
  const file = useRef<HTMLInputElement>(null)

  const read = useMemo(() => readRecipientFile(text, known.rows), [text, known.rows])
  const refused = importing.failure && refusedRows(importing.failure.message)
  const rows = read.rows.map((row, index) => {
    const message = refused?.get(index)
    return message === undefined
      ? row
      : { ...row, problems: [...row.problems, { kind: 'refused' as const, message }] }
  })
  const alike = rows.filter(({ lookAlikes }) => lookAlikes.length > 0).length
  const bad = rows.filter(({ problems }) => problems.length > 0).length
  const change = (next: string) => {
    setText(next)
    setFileProblem(undefined)
    setCompared(false)
    importing.reset()
  }
  const choose = async (chosen: File | undefined) => {
    if (!chosen) return
    if (chosen.size > FILE_MAX_BYTES) return setFileProblem(t`The file is larger than 256 KiB.`)
    change(await chosen.text())
  }
  const submit = async () => {
    const recipients = rows.map(({ label, address }) => ({
      label,
      address,
      chainId: config.chain.id,
    }))
    const imported = await importing.run({ path, body: { recipients } })
    if (!imported.ok) return
    const count = imported.data.recipients.length
    say(t`${plural(count, { one: '# recipient added', other: '# recipients added' })}`)
    await navigate({ to: '/organizations/$organizationId/recipients', params: path })
  }

  return (
    <Page
      title={<Trans>Import recipients</Trans>}
      back={
        <Link
          to="/organizations/$organizationId/recipients"
          params={path}
          className={buttonStyle({ look: 'link', size: 'inline' })}
        >
          <Trans>Recipients</Trans>
        </Link>
      }
      lead={
        <Trans>
          Up to {ROWS_MAX} at once from a CSV file: a name and an address on each line. Either all
          of them are added, or none.
        </Trans>
      }
    >
      {!isOwnerOrManager(organization) ? (
        <Notice tone="warn" title={<Trans>Owners and managers manage the recipients</Trans>}>
          <Trans>Ask one of them to import your list.</Trans>
        </Notice>
      ) : (
        <>
          <Card>
            <div className="flex flex-col gap-4">
              <div className="flex flex-wrap items-center gap-3">
                <input
                  ref={file}
                  type="file"
                  accept=".csv,.tsv,.txt,text/csv,text/plain"
                  aria-label={t`CSV file`}
                  className="sr-only"
                  tabIndex={-1}
                  onChange={(event) => {
                    void choose(event.target.files?.[0])
                    event.target.value = ''
                  }}
                />
                <Button onClick={() => file.current?.click()}>
                  <FileUp className="size-4" aria-hidden="true" />
                  <Trans>Choose a file</Trans>
                </Button>
                <span className="text-muted text-sm">
                  <Trans>It is read in this page and sent only when you import it.</Trans>
                </span>
              </div>
              <TextArea
                label={t`Or paste the list`}
                rows={6}
                value={text}
                onChange={(event) => change(event.target.value)}
                problem={fileProblem}
                translate="no"
                placeholder={'Printers Limited, 0x8fa319c244b07e21a9d013bc55f20c9a7743e17d'}
                spellCheck={false}
                autoComplete="off"
              />
            </div>
          </Card>
          {rows.length > 0 && (
            <Section
              title={<Trans>Preview</Trans>}
              note={<Plural value={rows.length} one="# recipient" other="# recipients" />}
            >
              <div className="flex flex-col gap-4">
                {read.isTooLong && (
                  <Notice tone="bad" isLive>
                    <Trans>
                      The list has more than {ROWS_MAX} rows. Split it; only the first {ROWS_MAX}{' '}
                      are shown.
                    </Trans>
                  </Notice>
                )}
                {bad > 0 && (
                  <Notice tone="warn" isLive>
                    <Plural
                      value={bad}
                      one="# row has a problem. Correct it above; nothing is imported until then."
                      other="# rows have a problem. Correct them above; nothing is imported until then."
                    />
                  </Notice>
                )}
                {importing.failure && !refused && <FailureNotice failure={importing.failure} />}
                {unread && <FailureNotice failure={unread} onRetry={() => void known.refetch()} />}
                <ImportPreview rows={rows} />
                {alike > 0 && (
                  <Checkbox
                    label={t`I have compared the whole of the addresses that look alike with their source.`}
                    checked={isCompared}
                    onChange={(event) => setCompared(event.target.checked)}
                  />
                )}
                <div className="flex flex-wrap gap-2">
                  <Button
                    look="primary"
                    isBusy={importing.isBusy}
                    isDisabled={
                      bad > 0 || read.isTooLong || !known.isComplete || (alike > 0 && !isCompared)
                    }
                    onClick={submit}
                  >
                    <Plural
                      value={rows.length}
                      one="Import # recipient"
                      other="Import # recipients"
                    />
                  </Button>
                  <Button look="quiet" onClick={() => change('')}>
                    <Trans>Clear</Trans>
                  </Button>
                </div>
              </div>
            </Section>
          )}
        </>
      )}
    </Page>
  )
}
