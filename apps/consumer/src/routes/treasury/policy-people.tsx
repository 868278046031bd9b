import { TextField } from '@countersign/ui/field.tsx'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { type ReactNode, useState } from 'react'
import { AddressList } from './address-details.tsx'
import type { PolicyLists } from './policy-terms.ts'
import { PeopleLink, RecipientsLink } from './treasury-link.tsx'

type Props = { lists: PolicyLists; names: ReadonlyMap<string, string> }

const SEARCH_FROM = 8

/**
 * Who approves and who may be paid. The service takes all that are active in the organization, so
 * they are changed where they belong, and here every one of them can be looked at.
 */
export function PolicyPeople({ lists, names }: Props) {
  return (
    <div className="flex flex-col gap-3">
      <p className="text-muted text-sm">
        <Trans>
          A policy lists every active approver and recipient of the organization. To leave one out,
          take away the role or deactivate the recipient first.
        </Trans>
      </p>
      <ListDetails
        addresses={lists.approverAddresses}
        names={names}
        summary={
          <Plural value={lists.approverAddresses.length} one="# approver" other="# approvers" />
        }
        manage={
          <PeopleLink>
            <Trans>Change in People</Trans>
          </PeopleLink>
        }
      />
      <ListDetails
        addresses={lists.recipientAddresses}
        names={names}
        summary={
          <Plural value={lists.recipientAddresses.length} one="# recipient" other="# recipients" />
        }
        manage={
          <RecipientsLink>
            <Trans>Change in Recipients</Trans>
          </RecipientsLink>
        }
      />
    </div>
  )
}

type ListProps = {
  addresses: readonly string[]
  names: ReadonlyMap<string, string>
  summary: ReactNode
  manage: ReactNode
}

function ListDetails({ addresses, names, summary, manage }: ListProps) {
  const { t } = useLingui()
  const [query, setQuery] = useState('')
  const wanted = query.trim().toLowerCase()
  const shown = addresses.filter(
    (one) =>
      one.toLowerCase().includes(wanted) ||
      names.get(one.toLowerCase())?.toLowerCase().includes(wanted),
  )
  return (
    <details className="rounded-md border border-line px-4 py-2">
      <summary className="min-h-8 cursor-pointer py-1 font-medium">{summary}</summary>
      <div className="flex flex-col gap-3 pt-2 pb-2">
        {addresses.length >= SEARCH_FROM && (
          <TextField
            label={t`Search by name or address`}
            type="search"
            value={query}
            onChange={(event) => setQuery(event.target.value)}
          />
        )}
        <AddressList addresses={shown} names={names} />
        {shown.length === 0 && (
          <p className="text-muted text-sm">
            {addresses.length === 0 ? <Trans>None yet.</Trans> : <Trans>No matches.</Trans>}
          </p>
        )}
        <p className="text-sm">{manage}</p>
      </div>
    </details>
  )
}
