/**
 * The token of an invitation is an HMAC of the invitation's id and a random salt under a server
 * key, and only its SHA-256 is stored, so neither the database nor an idempotent replay keeps a
 * secret.
 */
import type { Context } from '#context.ts'
import type { Reader, Tx } from '#platform/database/database.ts'
import { sha256 } from '#platform/digest.ts'
import { AppError } from '#platform/errors.ts'
import { keyedHash } from '#platform/secrets.ts'
import { findTokenSalt } from './invitations.store.ts'

type InvitationKey = { id: string; organizationId: string }

export const deriveToken = (ctx: Pick<Context, 'secrets'>, id: string, salt: Buffer): string =>
  keyedHash(ctx.secrets.invitationKey, [id, salt]).toString('base64url')

/**
 * Derives the token again. After a change of the server key it would be a different, unusable
 * token, so the stored hash is checked.
 */
export async function findInvitationToken(
  ctx: Pick<Context, 'secrets'>,
  tx: Reader,
  invitation: InvitationKey,
): Promise<string | undefined> {
  const stored = await findTokenSalt(tx, invitation)
  if (!stored) return undefined
  const token = deriveToken(ctx, invitation.id, stored.salt)
  return sha256(token).equals(stored.hash) ? token : undefined
}

export async function revealToken(
  ctx: Pick<Context, 'secrets'>,
  tx: Tx,
  invitation: InvitationKey,
): Promise<string> {
  const token = await findInvitationToken(ctx, tx, invitation)
  if (token) return token
  throw new AppError('state_conflict', {
    message: 'The token of this invitation can no longer be derived. Revoke it and invite again.',
  })
}
