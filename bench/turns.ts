/** Measures several alternately, so that other load on the machine affects all of them. */

export const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN

export const rounded = (value: number, digits = 2): number => Number(value.toFixed(digits))

export const say = (line: string): void => void process.stdout.write(`${line}\n`)

export type Contestants<Name extends string> = Record<Name, () => Promise<number>>

export type Compared<Name extends string> = {
  /** Median of each. */
  values: Record<Name, number>
  /** The median over all rounds of the first one's value divided by each other's. */
  ratios: Record<Name, number>
}

/** The first round warms up and is not counted; the order is reversed every other round. */
export async function inTurns<Name extends string>(
  contestants: Contestants<Name>,
  rounds: number,
): Promise<Compared<Name>> {
  const names = Object.keys(contestants) as Name[]
  const all: Record<Name, number>[] = []
  for (let round = 0; round <= rounds; round += 1) {
    const seen = {} as Record<Name, number>
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      seen[name] = await contestants[name]()
    }
    if (round > 0) all.push(seen)
  }
  const [first] = names as [Name]
  const each = (of: (seen: Record<Name, number>, name: Name) => number) =>
    Object.fromEntries(
      names.map((name) => [name, rounded(median(all.map((seen) => of(seen, name))), 3)]),
    ) as Record<Name, number>
  return { values: each((seen, name) => seen[name]), ratios: each((s, n) => s[first] / s[n]) }
}
