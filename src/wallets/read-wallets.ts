/** Lists the caller's own wallets. Reads by operators are recorded, as all their reads are. */
import type { Context } from '#context.ts'
import { recordRead } from '#journal/record-read.ts'
import { type Page, type Paged, toPaged } from '#platform/paging.ts'
import type { Holder } from './move-wallet.ts'
import { listWalletPage, type Wallet } from './wallets.store.ts'

export async function readWallets(
  ctx: Pick<Context, 'db' | 'clock' | 'ids'>,
  { holder, page }: { holder: Holder; page: Page },
): Promise<Paged<Wallet>> {
  const { realm, accountId, requestId } = holder
  const rows = await ctx.db.transaction({ accountId }, (tx) =>
    listWalletPage(tx, { accountId, page }),
  )
  if (realm === 'admin') {
    const operator = { realm, accountId, requestId }
    await recordRead(ctx, { operator, operation: 'listAdminWallets', organizationId: null })
  }
  return toPaged(rows, { limit: page.limit, idOf: ({ id }) => id })
}
