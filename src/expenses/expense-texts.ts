/** Completes what PostgreSQL has rendered: checksums of addresses, cursors and rules. */
import { requiredApprovals } from '@countersign/proof/execution.ts'
import { checksummed } from '@countersign/proof/values.ts'
import { type Paged, readPage, toPaged } from '#platform/paging.ts'
import type { ListedExpense } from './expense.ts'
import type { RenderedExpense, RenderedRow } from './expense-texts.store.ts'

/** Ends only keys: within a string, a quotation mark has a backslash before it. */
const KEY_END = 'Address":"'
const ADDRESS_LENGTH = 42

/** EIP-55, in which every address leaves the service. A lookbehind pattern takes twice as long. */
export function withChecksums(json: string): string {
  let done = 0
  let text = ''
  for (let at = json.indexOf(KEY_END); at !== -1; at = json.indexOf(KEY_END, done)) {
    const start = at + KEY_END.length
    text += json.slice(done, start) + checksummed(json.slice(start, start + ADDRESS_LENGTH))
    done = start + ADDRESS_LENGTH
  }
  return text + json.slice(done)
}

/** For answers that have more than expenses. */
export const toListedExpense = ({ body }: RenderedRow): ListedExpense =>
  JSON.parse(withChecksums(body))

/** A page of a list, whose items are in `key`. */
export function pageText(key: string, { items, nextCursor }: Paged<RenderedRow>): string {
  const bodies = items.map(({ body }) => body).join(',')
  return `{"${key}":[${bodies}],"nextCursor":${JSON.stringify(nextCursor)}}`
}

/** A comment may have 16 kB, so an expense carries few; the others are read by page. */
export const COMMENTS_SHOWN = readPage({ limit: 50 })

/** An expense with all its parts. */
export function expenseText(found: RenderedExpense): string {
  const { head, commentIds, remarks, tiers, amount, signedApprovals } = found
  if (amount === null) throw new Error('An expense has no current revision')
  const { limit } = COMMENTS_SHOWN
  const { nextCursor } = toPaged(commentIds ?? [], { limit, idOf: (id) => id })
  const required = tiers && requiredApprovals(tiers.map(toTier), amount)
  return withChecksums(
    `${head},"commentsNextCursor":${JSON.stringify(nextCursor)},${remarks},` +
      `"requiredApprovals":${required},"signedApprovals":${signedApprovals}}`,
  )
}

const toTier = ({ above, approvals }: { above: string; approvals: number }) => ({
  above: BigInt(above),
  approvals,
})
