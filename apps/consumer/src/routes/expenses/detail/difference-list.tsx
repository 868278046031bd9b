import { Money } from '@countersign/ui/money.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { CalendarDay } from '../calendar-day.tsx'
import type { Difference } from '../differences.ts'
import { useVaultName } from '../use-vault-name.ts'

/** Old and new, side by side in words. */
export function DifferenceList({ differences }: { differences: readonly Difference[] }) {
  if (differences.length === 0) {
    return <Trans>Only the reason differs.</Trans>
  }
  return (
    <ul className="flex flex-col gap-1">
      {differences.map((difference) => (
        <li key={difference.field}>
          <DifferenceText difference={difference} />
        </li>
      ))}
    </ul>
  )
}

const Change = ({ name, from, to }: { name: string; from: ReactNode; to: ReactNode }) => (
  <span>
    {name}: <del className="decoration-bad/60">{from}</del> →{' '}
    <ins className="text-text no-underline">{to}</ins>
  </span>
)

function DifferenceText({ difference }: { difference: Difference }) {
  const { t } = useLingui()
  const vaultName = useVaultName()
  const none = t`none`
  const noDay = t({ message: 'none', context: 'day' })
  switch (difference.field) {
    case 'amount':
      return (
        <Change
          name={t`Amount`}
          from={<Money baseUnits={difference.before} />}
          to={<Money baseUnits={difference.after} />}
        />
      )
    case 'recipient':
      return (
        <Change
          name={t`Recipient`}
          from={<Recipient {...difference.before} />}
          to={<Recipient {...difference.after} />}
        />
      )
    case 'purpose':
      return (
        <Change
          name={t`Purpose`}
          from={<bdi>{difference.before}</bdi>}
          to={<bdi>{difference.after}</bdi>}
        />
      )
    case 'vault':
      return (
        <Change
          name={t`Vault`}
          from={<bdi>{vaultName(difference.before)}</bdi>}
          to={<bdi>{vaultName(difference.after)}</bdi>}
        />
      )
    case 'mode': {
      const words = { approved: t`a person signs`, automatic: t`automatic` }
      return <Change name={t`How`} from={words[difference.before]} to={words[difference.after]} />
    }
    case 'category':
      return (
        <Change
          name={t`Category`}
          from={<bdi>{difference.before ?? none}</bdi>}
          to={<bdi>{difference.after ?? none}</bdi>}
        />
      )
    case 'reference':
      return (
        <Change
          name={t`Reference`}
          from={<bdi>{difference.before ?? none}</bdi>}
          to={<bdi>{difference.after ?? none}</bdi>}
        />
      )
    case 'dueDate':
      return (
        <Change
          name={t`Due`}
          from={difference.before ? <CalendarDay day={difference.before} /> : noDay}
          to={difference.after ? <CalendarDay day={difference.after} /> : noDay}
        />
      )
    case 'attachments':
      return (
        <Change
          name={t`Files`}
          from={<bdi>{difference.removed.join(', ') || none}</bdi>}
          to={<bdi>{difference.added.join(', ') || none}</bdi>}
        />
      )
  }
}

const Recipient = ({ label, address }: { label: string; address: string }) => (
  <>
    <bdi>{label}</bdi> <span className="break-all font-mono text-xs">{address}</span>
  </>
)
