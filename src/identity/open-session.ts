/** Session bootstrap: the identity token makes or finds the account and brings its wallets in. */
import type { Context } from '#context.ts'
import { type Actor, recordChange } from '#journal/journal.ts'
import type { Tx } from '#platform/database.ts'
import { AppError } from '#platform/errors.ts'
import type { IdentityClaims } from '#ports/identity-provider.ts'
import { linkWallets } from '#wallets/link-wallets.ts'
import { type Account, findAccount, insertAccount } from './accounts.store.ts'

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
  const claims = await ctx.identity.verifyIdentityToken({ realm: 'consumer', token: identityToken })
  if (!claims || claims.issuer !== issuer || claims.subject !== subject) {
    throw new AppError('unauthenticated', {
      message: 'The identity token is not valid for the holder of the access token.',
    })
  }
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
    const account = known ?? (await createAccount(ctx, tx, { actor, accountId, issuer, subject }))
    if (account) await linkWallets(ctx, tx, { actor, accountId, wallets })
    return account
  })
}

async function createAccount(
  ctx: SessionContext,
  tx: Tx,
  {
    actor,
    accountId,
    issuer,
    subject,
  }: {
    actor: Actor
    accountId: string
    issuer: string
    subject: string
  },
): Promise<Account | undefined> {
  const account = await insertAccount(tx, {
    id: accountId,
    realm: 'consumer',
    issuer,
    subject,
    at: ctx.clock.now(),
  })
  if (!account) return undefined
  await recordChange(ctx, tx, {
    organizationId: null,
    actor,
    action: 'account.created',
    aggregateType: 'account',
    aggregateId: accountId,
    data: { realm: 'consumer', issuer, subject },
  })
  return account
}
