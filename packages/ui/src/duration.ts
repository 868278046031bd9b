const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

/** A length of time in words, exact to the second: "1 day", "1 hour, 30 minutes". */
export function durationWords(seconds: number, region: string): string {
  let rest = seconds
  const parts = UNITS.flatMap(([unit, length]) => {
    const count = Math.floor(rest / length)
    rest -= count * length
    if (count === 0) return []
    return [
      new Intl.NumberFormat(region, { style: 'unit', unit, unitDisplay: 'long' }).format(count),
    ]
  })
  return new Intl.ListFormat(region, { type: 'unit', style: 'short' }).format(parts)
}
