import { Address } from '@countersign/ui/address.tsx'
import { classes } from '@countersign/ui/classes.ts'
import { Moment } from '@countersign/ui/moment.tsx'
import { Money } from '@countersign/ui/money.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { Minus, Plus } from 'lucide-react'
import type { ReactNode } from 'react'
import { EffectMark } from './effect-mark.tsx'
import { type ListRow, type PolicyDifference, tiersOf, type ValueRow } from './policy-difference.ts'
import { useFieldNames } from './policy-field-words.ts'
import { Duration, TierLines } from './policy-limit-words.tsx'

type Props = { difference: PolicyDifference; names: ReadonlyMap<string, string> }

/** Every field of the new policy beside the old one, with whole addresses. */
export function DifferenceView({ difference, names }: Props) {
  const titles = useFieldNames()
  const { t } = useLingui()
  return (
    <dl className="divide-y divide-line" aria-label={t`What the new policy changes`}>
      {difference.values.map((row) => (
        <div key={row.field} className="py-2.5 first:pt-0">
          <dt className="flex flex-wrap items-baseline justify-between gap-x-3">
            <span className="text-muted text-sm">{titles[row.field]}</span>
            <EffectMark effect={row.effect} />
          </dt>
          <dd className="mt-0.5">
            <ValueChange row={row} />
          </dd>
        </div>
      ))}
      {difference.lists.map((row) => (
        <ListChange
          key={row.field}
          row={row}
          title={titles[row.field]}
          names={names}
          isFirst={difference.values.some(({ effect }) => effect === 'new')}
        />
      ))}
    </dl>
  )
}

function ValueChange({ row: { field, from, to, effect } }: { row: ValueRow }) {
  const value = (text: string | null): ReactNode => {
    if (text === null) return <LimitOff field={field} />
    if (field === 'periodSeconds') return <Duration seconds={Number(text)} />
    if (field === 'tiers') return <TierLines tiers={tiersOf(text)} />
    if (field === 'expiresAt') return <Moment at={text} style="full" />
    if (field === 'executorAddress') return <Address address={text} />
    if (field === 'automaticEnabled' || field === 'paused') {
      return text === 'true' ? <Trans>yes</Trans> : <Trans>no</Trans>
    }
    return <Money baseUnits={text} />
  }
  if (effect === 'new' || effect === 'same') return value(to)
  return (
    <span className="flex flex-wrap items-baseline gap-x-2">
      <del className="text-muted">{value(from)}</del>
      <span aria-hidden="true">→</span>
      <ins className="font-medium no-underline">{value(to)}</ins>
    </span>
  )
}

const LimitOff = ({ field }: Pick<ValueRow, 'field'>) =>
  field === 'tiers' ? (
    <Trans>one for every amount</Trans>
  ) : (
    <span className="text-muted">
      <Trans context="limit">none</Trans>
    </span>
  )

type ListProps = {
  row: ListRow
  title: string
  names: ReadonlyMap<string, string>
  /** There was no policy: everything is new, nothing is wider. */
  isFirst: boolean
}

function ListChange({ row, title, names, isFirst }: ListProps) {
  const name = (address: string) => names.get(address.toLowerCase())
  const kept = row.kept.length
  return (
    <div className="py-2.5">
      <dt className="text-muted text-sm">{title}</dt>
      <dd className="mt-1 flex flex-col gap-2">
        {row.added.map((address) => (
          <div
            key={address}
            className={classes(
              'flex gap-2 rounded-md px-3 py-2',
              isFirst ? 'bg-info-soft text-info' : 'bg-bad-soft text-bad',
            )}
          >
            <Plus className="mt-0.5 size-4 shrink-0" aria-hidden="true" />
            <div className="min-w-0">
              <span className="text-sm">
                {isFirst ? <Trans>new</Trans> : <Trans>added: allows more</Trans>}
              </span>
              <span className="text-text">
                <Address address={address} name={name(address)} />
              </span>
            </div>
          </div>
        ))}
        {row.removed.map((address) => (
          <div key={address} className="flex gap-2 rounded-md bg-ok-soft px-3 py-2">
            <Minus className="mt-0.5 size-4 shrink-0 text-ok" aria-hidden="true" />
            <div className="min-w-0">
              <span className="text-ok text-sm">
                <Trans>removed: allows less</Trans>
              </span>
              <Address address={address} name={name(address)} />
            </div>
          </div>
        ))}
        {kept > 0 && (
          <details>
            <summary className="cursor-pointer text-muted text-sm">
              <Trans>{kept} without change</Trans>
            </summary>
            <ul className="mt-2 flex flex-col gap-2">
              {row.kept.map((address) => (
                <li key={address}>
                  <Address address={address} name={name(address)} />
                </li>
              ))}
            </ul>
          </details>
        )}
        {kept + row.added.length + row.removed.length === 0 && (
          <span className="text-muted">
            <Trans>none</Trans>
          </span>
        )}
      </dd>
    </div>
  )
}
