/** Session bootstrap: the identity token makes or finds the account and brings its wallets in. */
import type { Context } from '#context.ts'
import type { Actor } from '#journal/actor.ts'
import { recordChange } from '#journal/journal.ts'
import type { Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import type { IdentityClaims } from '#ports/identity-provider.ts'
import { linkWallets, recordLinkedWallets } from '#wallets/link-wallets.ts'
import { type Account, findAccount, type Identity, insertAccount } from './accounts.store.ts'
import { requireSameHolder } from './same-holder.ts'

export type OpenSession = {
  /** From the verified access token. */
  issuer: string
  subject: string
  identityToken: string
  requestId: string
}

type SessionContext = Pick<Context, 'db' | 'clock' | 'ids' | 'identity'>

export async function openSession(
  ctx: SessionContext,
  { issuer, subject, identityToken, requestId }: OpenSession,
): Promise<Account> {
  const input = { realm: 'consumer' as const, token: identityToken }
  const verdict = await ctx.identity.verifyIdentityToken(input)
  const message = 'The identity token is not valid for the holder of the access token.'
  const claims = requireSameHolder(verdict, { issuer, subject }, { message })
  // Two first sessions at once: one makes the account, the other finds it on its second turn.
  return (
    (await bringIn(ctx, claims, requestId)) ?? (await bringIn(ctx, claims, requestId)) ?? lost()
  )
}

const lost = (): never => {
  throw new AppError('internal')
}

/** Undefined when the account appeared in the meantime under another id. */
async function bringIn(
  ctx: SessionContext,
  claims: IdentityClaims,
  requestId: string,
): Promise<Account | undefined> {
  const { issuer, subject, wallets } = claims
  const known = await findAccount(ctx.db, { realm: 'consumer', issuer, subject })
  if (known?.status === 'disabled') throw new AppError('account_disabled')
  const accountId = known?.id ?? ctx.ids.next()
  const actor: Actor = { realm: 'consumer', accountId, requestId }

  return ctx.db.transaction({ accountId }, async (tx) => {
    const identity = { realm: 'consumer' as const, issuer, subject }
    const account =
      known ?? (await insertAccount(tx, { id: accountId, ...identity, at: ctx.clock.now() }))
    if (!account) return undefined
    const linked = await linkWallets(ctx, tx, { accountId, wallets })
    // Recorded last: the audit head's lock must not be held while waiting for another's wallet.
    if (!known) await recordAccount(ctx, tx, { actor, accountId, identity })
    await recordLinkedWallets(ctx, tx, { actor, accountId, linked })
    return account
  })
}

const recordAccount = (
  ctx: SessionContext,
  tx: Tx,
  { actor, accountId, identity }: { actor: Actor; accountId: string; identity: Identity },
): Promise<void> =>
  recordChange(ctx, tx, {
    organizationId: null,
    actor,
    action: 'account.created',
    aggregateType: 'account',
    aggregateId: accountId,
    data: identity,
  })
