import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useEffect, useRef } from 'react'

type Props<Item> = {
  items: readonly Item[]
  keyOf(item: Item): string
  label: string
  estimatedHeight: number
  children: (item: Item, index: number) => ReactNode
  /** Called when the end comes near. */
  onEnd?(): void
}

const NEAR_THE_END = 8

/** A list of any length with only the visible rows in the document. It scrolls with the page. */
export function VirtualList<Item>({
  items,
  keyOf,
  label,
  estimatedHeight,
  children,
  onEnd,
}: Props<Item>) {
  const list = useRef<HTMLUListElement>(null)
  const virtualizer = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => estimatedHeight,
    overscan: 8,
    scrollMargin: list.current?.offsetTop ?? 0,
    getItemKey: (index) => keyOf(items[index] as Item),
  })
  const rows = virtualizer.getVirtualItems()
  const last = rows.at(-1)?.index ?? -1
  useEffect(() => {
    if (items.length > 0 && last >= items.length - NEAR_THE_END) onEnd?.()
  }, [last, items.length, onEnd])
  return (
    <ul
      ref={list}
      aria-label={label}
      className="relative"
      style={{ blockSize: virtualizer.getTotalSize() }}
    >
      {rows.map((row) => (
        <li
          key={row.key}
          data-index={row.index}
          ref={virtualizer.measureElement}
          aria-setsize={items.length}
          aria-posinset={row.index + 1}
          className="absolute inset-x-0 top-0"
          style={{ transform: `translateY(${row.start - virtualizer.options.scrollMargin}px)` }}
        >
          {children(items[row.index] as Item, row.index)}
        </li>
      ))}
    </ul>
  )
}
