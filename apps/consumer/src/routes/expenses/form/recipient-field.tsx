import { useRead } from '@countersign/app-kit/data/queries.ts'
import { Address } from '@countersign/ui/address.tsx'
import { ComboboxField } from '@countersign/ui/combobox.tsx'
import { useAmountFormat } from '@countersign/ui/money.tsx'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { RecipientNote } from '../../../approval/recipient-note.tsx'
import { isOwnerOrManager, useOrganization } from '../../../data/organization.tsx'
import type { Recipient, Vault } from '../expense-types.ts'

type Props = {
  recipients: readonly Recipient[]
  value: string | null
  onChange(recipientId: string | null): void
  vault: Vault | undefined
  problem: string | undefined
  note?: ReactNode
}

/** The whole address of whoever is chosen: that is where the money goes. */
export function RecipientField({ recipients, value, onChange, vault, problem, note }: Props) {
  const { t } = useLingui()
  const organization = useOrganization()
  const chosen = recipients.find(({ id }) => id === value)
  const active = recipients.filter((recipient) => recipient.active || recipient.id === value)
  return (
    <div className="flex flex-col gap-2">
      <ComboboxField
        label={t`Who is paid?`}
        placeholder={t`Choose a recipient`}
        value={value}
        onChange={onChange}
        problem={problem}
        note={note}
        options={active.map(({ id, label, address }) => ({
          value: id,
          label,
          detail: <span className="break-all font-mono text-xs">{address}</span>,
        }))}
      />
      {chosen && (
        <div className="rounded-md bg-sunken px-3 py-2">
          <Address address={chosen.address} name={chosen.label} />
          <PaidBefore recipientId={chosen.id} />
          {!chosen.active && (
            <p className="text-bad text-sm">
              <Trans>This recipient is deactivated. Choose another one.</Trans>
            </p>
          )}
          <RecipientNote vault={vault} address={chosen.address} />
        </div>
      )}
      <p className="text-muted text-sm">
        {isOwnerOrManager(organization) ? (
          <Trans>
            Not in the list?{' '}
            <Link
              to="/organizations/$organizationId/recipients"
              params={{ organizationId: organization.id }}
              className="text-accent underline underline-offset-4"
            >
              Add a recipient
            </Link>
            . What you typed stays here.
          </Trans>
        ) : (
          <Trans>Not in the list? Ask an owner or a manager to add it.</Trans>
        )}
      </p>
    </div>
  )
}

const LOOKED_AT = 100

/** How often it was paid, as far as this person can see, and what is usual. */
function PaidBefore({ recipientId }: { recipientId: string }) {
  const { id: organizationId } = useOrganization()
  const format = useAmountFormat()
  const { data } = useRead('listActivity', {
    path: { organizationId },
    query: { recipientId, state: ['confirmed'], limit: LOOKED_AT },
  })
  if (!data) return null
  const amounts = data.payments.map(({ amountBaseUnits }) => BigInt(amountBaseUnits))
  const count = amounts.length
  if (count === 0) {
    return (
      <p className="text-muted text-sm">
        <Trans>No payment to it that you can see.</Trans>
      </p>
    )
  }
  const least = format(amounts.reduce((a, b) => (b < a ? b : a)))
  const most = format(amounts.reduce((a, b) => (b > a ? b : a)))
  return (
    <p className="figures text-muted text-sm">
      {data.nextCursor === null ? (
        <Plural value={count} one="Paid once" other="Paid # times" />
      ) : (
        <Trans>Paid more than {count} times</Trans>
      )}
      {': '}
      {least === most ? (
        least
      ) : (
        <Trans>
          {least} to {most}
        </Trans>
      )}
    </p>
  )
}
