/** docs/BENCHMARKS.md, made of the figures. */
import { type Figure, holds, targetText } from './figures.ts'
import { type Machine, machineText } from './machine.ts'

export type PartResult = {
  id: string
  title: string
  machine: Machine
  figures: Figure[]
}

const HEAD = `# Benchmarks

Written by \`npm run bench\`; do not edit. Each figure is a ratio to a yardstick that is measured in
the same run and in turns, so that a slower machine, or one that others use as well, weighs on both;
the rest are absolute. \`npm run bench -- reads creation\` runs parts of it; the others stay as
\`bench/results\` has them. \`--small\` looks at all of it in some minutes and writes nothing.

![The ratios and what they are meant to be](benchmarks.svg)

- **The same statements**: what the service itself sends to PostgreSQL for the request is recorded,
  and the yardstick runs exactly that, row-level security and its transactions included, prepared
  and one after the other, as one writes it with pg. It verifies no token, logs nothing and counts
  nothing, and answers the rows as they are. The service, which logs every request as in production,
  sends the statements in fewer messages: that is how it can be faster.
- **The least that answers**: a bare server that runs only the statements whose rows are the answer,
  past row-level security, and asks nobody who they are. What is missing to 1 is what it costs to
  know the caller, to hold them to their tenant, to limit, to check, to log and to count.
- **CPU µs** is the time of the server's process and of all of PostgreSQL's for one request: it
  says nearly the same on a busy machine.
- **pgbench** is given a new connection each round, and is counted from its third second on: what is
  prepared and planned once a connection is not in its figure, as it is not in the others'.
- **Payments**: the loop signs and sends the same calls, sixteen at a time, and waits for receipts.
  The service checks, records and confirms each besides, and is only done when the vault's log is
  read, compared and counted: about one block more for all of them together.

Where the time goes, and what was done about it, is in [PROFILES.md](PROFILES.md).
`

const cell = (text: string): string => text.replaceAll('|', '\\|')

const moreText = ({ more = {} }: Figure): string =>
  Object.entries(more)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')

const rowOf = (figure: Figure): string => {
  const { what, value, unit, beside = '', target } = figure
  const verdict = target ? (holds(figure) ? 'holds' : '**falls short**') : ''
  const isMissing = beside.endsWith('not on this machine')
  const shown = isMissing ? '–' : `${value} ${unit}`.trim()
  const cells = [what, shown, targetText(figure), verdict, beside, moreText(figure)]
  return `| ${cells.map(cell).join(' | ')} |`
}

const partOf = ({ title, machine, figures }: PartResult): string => `
## ${title}

| What | Figure | Target | | Beside | More |
|---|---|---|---|---|---|
${figures.map(rowOf).join('\n')}

${machineText(machine)}
`

export const reportOf = (results: readonly PartResult[]): string =>
  HEAD + results.map(partOf).join('')
