import { bloImage } from 'blo'
import { memo } from 'react'

const HALF = 4
const hsl = (colour: Uint16Array): string => `hsl(${colour[0]} ${colour[1]}% ${colour[2]}%)`

/** One path per colour: an image element would make a document of every icon. */
function pathsOf(address: string) {
  const [cells, palette] = bloImage(address.toLowerCase() as `0x${string}`)
  const paths = ['', '', '']
  cells.forEach((colour, index) => {
    const row = Math.floor(index / HALF)
    const column = index % HALF
    const square = (x: number) => `M${x} ${row}h1v1h-1z`
    paths[colour] += square(column) + square(2 * HALF - 1 - column)
  })
  return { paths, palette }
}

/** Helps to recognise an address; it proves nothing, so it never stands without the address. */
export const Identicon = memo(function Identicon({ address }: { address: string }) {
  const { paths, palette } = pathsOf(address)
  const [background, ...colours] = palette.map(hsl)
  return (
    <svg
      viewBox="0 0 8 8"
      className="size-5 shrink-0 rounded-full"
      shapeRendering="crispEdges"
      aria-hidden="true"
    >
      <rect width="8" height="8" fill={background} />
      {colours.map((colour, index) => (
        <path key={colour} d={paths[index + 1]} fill={colour} />
      ))}
    </svg>
  )
})
