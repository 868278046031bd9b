import { classes } from '@countersign/ui/classes.ts'
import { Trans, useLingui } from '@lingui/react/macro'
import { comparedGroups } from './look-alikes.ts'

type Props = { address: string; label: string; existingAddress: string; existingLabel: string }

/** Two addresses in groups of four, one below the other; groups that differ are marked. */
export function AddressComparison({ address, label, existingAddress, existingLabel }: Props) {
  const { t } = useLingui()
  const groups = comparedGroups(address, existingAddress)
  const differing = groups.flatMap(({ isSame }, index) => (isSame ? [] : [index + 1]))
  const rows = [
    { name: label || t`New address`, side: 'left', whole: address },
    { name: existingLabel, side: 'right', whole: existingAddress },
  ] as const
  return (
    <div className="mt-2 flex flex-col gap-2">
      {rows.map(({ name, side, whole }) => (
        <div key={side}>
          <bdi className="block truncate text-sm">{name}</bdi>
          <span className="flex flex-wrap gap-x-1 gap-y-0.5 font-mono text-sm">
            <span className="sr-only">{whole}</span>
            {groups.map((group, index) => (
              <span
                // biome-ignore lint/suspicious/noArrayIndexKey: groups are told apart by their place
                key={index}
                aria-hidden="true"
                className={classes(
                  'rounded-sm px-1',
                  group.isSame ? 'text-muted' : 'bg-surface font-semibold text-bad underline',
                )}
              >
                {group[side]}
              </span>
            ))}
          </span>
        </div>
      ))}
      <p className="text-sm">
        <Trans>Groups that differ, counted from the start: {differing.join(', ')}</Trans>
      </p>
    </div>
  )
}
