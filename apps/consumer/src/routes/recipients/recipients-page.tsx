import { useAllPages } from '@countersign/app-kit/data/all-pages.ts'
import { useRead } from '@countersign/app-kit/data/queries.ts'
import { ReadView } from '@countersign/app-kit/shell/read-view.tsx'
import type { DataOf } from '@countersign/client/operation-types.ts'
import { Button, buttonStyle } from '@countersign/ui/button.tsx'
import { Checkbox, TextField } from '@countersign/ui/field.tsx'
import { Card, Empty, Page } from '@countersign/ui/page.tsx'
import { VirtualList } from '@countersign/ui/virtual-list.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { BookUser, Plus, Upload } from 'lucide-react'
import { useMemo, useState } from 'react'
import { isOwnerOrManager, useOrganization } from '../../data/organization.tsx'
import { usePolicyLists } from '../../data/policy-lists.ts'
import { useRowKeys } from '../../shell/use-row-keys.ts'
import { AddRecipientDialog } from './add-recipient-dialog.tsx'
import { AddedNotice } from './added-notice.tsx'
import { DeactivateRecipientDialog } from './deactivate-recipient-dialog.tsx'
import { type Recipient, RecipientRow } from './recipient-row.tsx'
import { RenameRecipientDialog } from './rename-recipient-dialog.tsx'

type Open = { kind: 'add' } | { kind: 'rename' | 'deactivate'; recipient: Recipient } | null

const ROW_HEIGHT = 68
/** Below this many, a search field is only in the way. */
const SEARCH_FROM = 8

/** Who can be paid, and what the vaults on chain say of them. */
export function RecipientsPage() {
  const { t } = useLingui()
  const organization = useOrganization()
  const { id: organizationId } = organization
  const path = { organizationId }
  const mayChange = isOwnerOrManager(organization)
  const reason = mayChange
    ? undefined
    : t`Owners and managers manage the recipients. Ask one of them.`
  const recipients = useAllPages('listRecipients', 'recipients', { path })
  const policies = usePolicyLists(organizationId)
  const spending = useRead(
    'getSpending',
    { path, query: { by: 'recipient' } },
    { isEnabled: mayChange },
  )
  const [words, setWords] = useState('')
  const [isAll, setAll] = useState(false)
  const [openId, setOpenId] = useState<string | null>(null)
  const [open, setOpen] = useState<Open>(null)
  const [added, setAdded] = useState<DataOf<'addRecipient'> | null>(null)
  const list = useRowKeys()

  const paid = useMemo(
    () => new Map(spending.data?.groups.map((group) => [group.key, group])),
    [spending.data],
  )
  const sought = words.trim().toLowerCase()
  const shown = recipients.rows.filter(
    ({ label, address, active }) =>
      (isAll || active) &&
      (label.toLowerCase().includes(sought) || address.toLowerCase().includes(sought)),
  )
  const ended = recipients.rows.filter(({ active }) => !active).length
  const isEmpty = recipients.rows.length === 0
  const close = () => setOpen(null)
  const addButton = (
    <Button look="primary" reason={reason} onClick={() => setOpen({ kind: 'add' })}>
      <Plus className="size-4" aria-hidden="true" />
      <Trans>Add</Trans>
    </Button>
  )

  return (
    <Page
      title={<Trans>Recipients</Trans>}
      lead={<Trans>Only these can be paid, and only by a vault that lists them.</Trans>}
      actions={
        <>
          {mayChange ? (
            <Link
              to="/organizations/$organizationId/recipients/import"
              params={path}
              className={buttonStyle({})}
            >
              <Upload className="size-4" aria-hidden="true" />
              <Trans>Import</Trans>
            </Link>
          ) : (
            <Button reason={reason}>
              <Upload className="size-4" aria-hidden="true" />
              <Trans>Import</Trans>
            </Button>
          )}
          {addButton}
        </>
      }
    >
      {added && <AddedNotice recipient={added} />}
      <ReadView of={recipients}>
        {() =>
          isEmpty ? (
            <Empty
              icon={<BookUser aria-hidden="true" />}
              title={<Trans>Who do you pay?</Trans>}
              action={addButton}
            >
              <Trans>
                Add the suppliers and people that expenses are paid to, each with the address that
                receives the money.
              </Trans>
            </Empty>
          ) : (
            <>
              <div className="mb-3 flex flex-wrap items-end gap-x-6 gap-y-1">
                {recipients.rows.length >= SEARCH_FROM && (
                  <div className="min-w-0 flex-1 basis-64 sm:max-w-sm">
                    <TextField
                      type="search"
                      label={t`Search by name or address`}
                      isLabelHidden
                      placeholder={t`Name or address`}
                      value={words}
                      onChange={(event) => setWords(event.target.value)}
                    />
                  </div>
                )}
                {ended > 0 && (
                  <Checkbox
                    label={t`Show deactivated (${ended})`}
                    checked={isAll}
                    onChange={(event) => setAll(event.target.checked)}
                  />
                )}
              </div>
              {shown.length === 0 ? (
                <Empty
                  title={<Trans>No matching recipients</Trans>}
                  action={
                    <Button
                      onClick={() => {
                        setWords('')
                        setAll(true)
                      }}
                    >
                      <Trans>Show all</Trans>
                    </Button>
                  }
                />
              ) : (
                <Card isFlush>
                  <div ref={list} className="-mb-px overflow-hidden rounded-lg">
                    <VirtualList
                      items={shown}
                      keyOf={({ id }) => id}
                      label={t`Recipients`}
                      estimatedHeight={ROW_HEIGHT}
                    >
                      {(recipient) => (
                        <RecipientRow
                          recipient={recipient}
                          policies={policies}
                          paid={paid.get(recipient.id)}
                          isOpen={openId === recipient.id}
                          onToggle={() => setOpenId(openId === recipient.id ? null : recipient.id)}
                          reason={reason}
                          onRename={() => setOpen({ kind: 'rename', recipient })}
                          onDeactivate={() => setOpen({ kind: 'deactivate', recipient })}
                        />
                      )}
                    </VirtualList>
                  </div>
                </Card>
              )}
            </>
          )
        }
      </ReadView>
      {open?.kind === 'add' && (
        <AddRecipientDialog
          onClose={close}
          onAdded={(recipient) => {
            setAdded(recipient)
            setOpenId(recipient.id)
            close()
          }}
        />
      )}
      {open?.kind === 'rename' && (
        <RenameRecipientDialog recipient={open.recipient} onClose={close} />
      )}
      {open?.kind === 'deactivate' && (
        <DeactivateRecipientDialog recipient={open.recipient} onClose={close} />
      )}
    </Page>
  )
}
