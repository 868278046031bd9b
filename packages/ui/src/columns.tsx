type Column = { id: string; label: string; value: bigint; text: string }

const HEIGHT = 140
const SCALE = 10_000n

/** Columns over time. Every column carries its figure as text for screen readers and on hover. */
export function Columns({ columns, label }: { columns: readonly Column[]; label: string }) {
  const largest = columns.reduce((most, { value }) => (value > most ? value : most), 1n)
  return (
    <ol aria-label={label} className="flex h-48 items-end gap-1.5 sm:gap-3">
      {columns.map(({ id, label: name, value, text }) => (
        <li
          key={id}
          translate="no"
          className="group flex min-w-0 flex-1 flex-col items-center gap-1.5"
          title={`${name}: ${text}`}
        >
          <span className="figures max-w-full truncate text-muted text-xs">{text}</span>
          <span
            className="w-full max-w-14 rounded-t-sm bg-accent group-hover:bg-accent-strong"
            style={{
              blockSize: `${Math.max(2, (Number((value * SCALE) / largest) / 10_000) * HEIGHT)}px`,
            }}
          />
          <span className="max-w-full truncate text-muted text-xs">{name}</span>
        </li>
      ))}
    </ol>
  )
}
