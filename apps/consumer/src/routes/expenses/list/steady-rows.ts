/** Rows do not move under the pointer: new ones wait above the list until they are asked for. Pure. */

type Row = { id: string }

/**
 * A row is new if it was not there before and stands before one that was. Rows after the last known
 * one belong to the next page.
 */
export function splitFresh<Item extends Row>(
  rows: readonly Item[],
  known: ReadonlySet<string>,
): { shown: Item[]; fresh: Item[] } {
  const lastKnown = rows.findLastIndex(({ id }) => known.has(id))
  const isFresh = ({ id }: Item, index: number) => index < lastKnown && !known.has(id)
  return {
    shown: rows.filter((row, index) => !isFresh(row, index)),
    fresh: rows.filter(isFresh),
  }
}
