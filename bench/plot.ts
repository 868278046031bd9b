/** docs/benchmarks.svg: a bar for each ratio with a target, a line at the target; stale in grey. */
import { type Figure, holds } from './figures.ts'
import type { KeptResult } from './report.ts'

const ROW = 22
const LEFT = 400
const WIDTH = 400
const RIGHT = 60
const TOP = 34
const MOST = 2

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const xOf = (ratio: number): number => LEFT + (Math.min(ratio, MOST) / MOST) * WIDTH

const limitOf = ({ target }: Figure): number | undefined =>
  target && ('atLeast' in target ? target.atLeast : target.atMost)

type Ratio = Figure & { isFresh: boolean }

function barOf(figure: Ratio, n: number): string {
  const { what, value } = figure
  const y = TOP + n * ROW
  const middle = y + ROW / 2 + 4
  const color = figure.isFresh ? (holds(figure) ? '#3a7d5c' : '#b5482f') : '#999'
  const limit = limitOf(figure)
  const width = xOf(value) - LEFT
  const mark =
    limit === undefined
      ? ''
      : `<line x1="${xOf(limit)}" y1="${y}" x2="${xOf(limit)}" y2="${y + ROW}" class="limit"/>`
  return [
    `<text x="${LEFT - 8}" y="${middle}" text-anchor="end">${escaped(what)}</text>`,
    `<rect x="${LEFT}" y="${y + 4}" width="${width}" height="${ROW - 8}" fill="${color}"/>`,
    mark,
    `<text x="${xOf(value) + 6}" y="${middle}">${value}</text>`,
  ].join('\n')
}

export function plotOf(results: readonly KeptResult[]): string {
  const ratios = results
    .flatMap(({ figures, isFresh }) => figures.map((figure) => ({ ...figure, isFresh })))
    .filter(({ unit, target }) => unit === '' && target)
  const height = TOP + ratios.length * ROW + 12
  const width = LEFT + WIDTH + RIGHT
  const ticks = [0, 0.5, 1, 1.5, 2].map((ratio) => {
    const x = xOf(ratio)
    return [
      `<line x1="${x}" y1="${TOP - 6}" x2="${x}" y2="${height - 12}" class="tick"/>`,
      `<text x="${x}" y="${TOP - 12}" text-anchor="middle">${ratio}</text>`,
    ].join('\n')
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"
  viewBox="0 0 ${width} ${height}" role="img" aria-label="Ratios to the baselines">
<style>
  text { font: 12px sans-serif; fill: #222 }
  .tick { stroke: #ddd } .limit { stroke: #222; stroke-width: 2; stroke-dasharray: 3 2 }
</style>
<rect width="${width}" height="${height}" fill="#fff"/>
${ticks.join('\n')}
${ratios.map(barOf).join('\n')}
</svg>
`
}
