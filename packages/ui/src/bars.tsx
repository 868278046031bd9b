import { classes } from './classes.ts'

type Bar = { id: string; label: string; value: bigint; text: string; isCurrent?: boolean }

const FULL = 10_000n

/** Horizontal bars with their figures. The table is the chart: it reads well without seeing it. */
export function Bars({ bars, label }: { bars: readonly Bar[]; label: string }) {
  const largest = bars.reduce((most, { value }) => (value > most ? value : most), 1n)
  return (
    <ul aria-label={label} className="flex flex-col gap-2">
      {bars.map(({ id, label: name, value, text, isCurrent }) => (
        <li
          key={id}
          className="grid grid-cols-[minmax(5rem,9rem)_1fr_auto] items-center gap-3 text-sm"
        >
          <bdi className="truncate">{name}</bdi>
          <span className="h-5 rounded-sm bg-sunken">
            <span
              className={classes(
                'block h-full min-w-0.5 rounded-sm',
                isCurrent === false ? 'bg-control' : 'bg-accent',
              )}
              style={{ inlineSize: `${Number((value * FULL) / largest) / 100}%` }}
            />
          </span>
          <span translate="no" className="figures text-end">
            {text}
          </span>
        </li>
      ))}
    </ul>
  )
}
