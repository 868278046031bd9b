/** Job: sends an invitation to the address it names. */
import { timestampToSeconds } from '@countersign/proof/values.ts'
import type { Context } from '#context.ts'
import { findInvitationToken } from '#organizations/invitation-token.ts'
import { enqueueInvitationEmail } from '#organizations/invitations.ts'
import type { JobPayloads } from '#platform/jobs/jobs.ts'
import { findInvitationToSend } from './email.store.ts'
import { invitationLetter } from './invitation-letter.ts'
import { deliveryIdOf, type EmailContext, sendOnce } from './send-once.ts'

type Payload = JobPayloads['send_invitation_email']

export async function sendInvitation(
  ctx: EmailContext & Pick<Context, 'secrets'>,
  payload: Payload,
): Promise<void> {
  const { mailer, config } = ctx
  if (!mailer || !config.email) return
  const { organizationId, invitationId, attempt = 1 } = payload
  const at = ctx.clock.now()
  const found = await ctx.db.read({ organizationId }, async (reader) => {
    const invitation = await findInvitationToSend(reader, { organizationId, invitationId, at })
    const token = invitation && (await findInvitationToken(ctx, reader, invitation))
    return invitation && token ? { invitation, token } : undefined
  })
  if (!found) return
  const { invitation, token } = found
  await sendOnce(ctx, {
    mailer,
    id: deliveryIdOf(['invitation', invitationId]),
    kind: 'invitation',
    to: invitation.email,
    letter: invitationLetter({ ...invitation, url: `${config.email.appOrigin}/join/${token}` }),
    attempt,
    ttlSeconds: timestampToSeconds(invitation.expiresAt) - timestampToSeconds(at.toISOString()),
    enqueueAgain: (delaySeconds) =>
      ctx.db.transaction({}, (tx) =>
        enqueueInvitationEmail(tx, { ...payload, attempt: attempt + 1 }, delaySeconds),
      ),
  })
}
