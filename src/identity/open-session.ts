/**
 * Opens a consumer session: creates or finds the account of the identity token, links its wallets,
 * and stores the name and e-mail address in the token.
 */
import type { Context } from '#context.ts'
import type { Actor } from '#journal/actor.ts'
import { recordChange } from '#journal/journal.ts'
import type { Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import type { IdentityClaims } from '#ports/identity-provider.ts'
import { linkTokenWallets, recordLinkedWallets } from '#wallets/link-wallets.ts'
import { type Account, findAccount, type Identity, insertAccount } from './accounts.store.ts'
import { keepProfile } from './profiles.store.ts'
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
  const message = 'The identity token is invalid or belongs to another identity. Sign in again.'
  const claims = requireSameHolder(verdict, { issuer, subject }, { message })
  // Of two concurrent first sessions one inserts the account; the other finds it on its retry.
  return (
    (await createOrFindAccount(ctx, claims, requestId)) ??
    (await createOrFindAccount(ctx, claims, requestId)) ??
    failWithoutAccount()
  )
}

const failWithoutAccount = (): never => {
  throw new AppError('internal')
}

/** Undefined when a concurrent session created the account first. */
async function createOrFindAccount(
  ctx: SessionContext,
  claims: IdentityClaims,
  requestId: string,
): Promise<Account | undefined> {
  const { issuer, subject, wallets, profile } = claims
  const known = await findAccount(ctx.db, { realm: 'consumer', issuer, subject })
  if (known?.status === 'disabled') throw new AppError('account_disabled')
  const accountId = known?.id ?? ctx.ids.next()
  const actor: Actor = { realm: 'consumer', accountId, requestId }

  return ctx.db.transaction({ accountId }, async (tx) => {
    const identity = { realm: 'consumer' as const, issuer, subject }
    const account =
      known ?? (await insertAccount(tx, { id: accountId, ...identity, at: ctx.clock.now() }))
    if (!account) return undefined
    keepProfile(tx, { accountId, ...profile, at: ctx.clock.now() })
    const linked = await linkTokenWallets(ctx, tx, { accountId, wallets })
    // Recorded last, so that the audit head is not locked while this waits for another's wallet.
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
