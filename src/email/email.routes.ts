/** The route behind the unsubscribe links in e-mails, for the web gateway. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Context } from '#context.ts'
import { answers, component } from '#http/openapi.ts'
import type { RateLimits } from '#http/rate-limits.ts'
import { AppError } from '#platform/errors.ts'
import { EmailUnsubscriptionSchema, UnsubscribeParams } from './email.schema.ts'
import { unsubscribeEmail } from './unsubscribe-email.ts'
import { readUnsubscribeToken } from './unsubscribe-token.ts'

const invalidLink = () =>
  new AppError('validation_failed', {
    message:
      'This unsubscribe link is not valid or has expired. Sign in and change your notification ' +
      'preferences instead.',
  })

export const emailRoutes =
  (
    ctx: Pick<Context, 'db' | 'clock' | 'ids' | 'secrets'>,
    limits: Pick<RateLimits, 'countAnonymous' | 'countUnsubscription'>,
  ): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.post(
      '/v1/consumer/email-unsubscriptions/:unsubscribeToken',
      {
        schema: {
          operationId: 'unsubscribeFromEmail',
          summary: 'Unsubscribe from e-mails',
          description:
            'For the web gateway, which receives the one-click requests of mail programs ' +
            '(RFC 8058). Takes no access token: the token in the link can only switch off ' +
            'e-mails of one category for one account. Repeating the request succeeds. The person ' +
            'switches them on again with `PUT /v1/consumer/notification-preferences`.',
          tags: ['push'],
          params: UnsubscribeParams,
          response: answers(200, component(EmailUnsubscriptionSchema), [400], {
            validation_failed: 'The token is forged, or older than 180 days. Sign in instead.',
            rate_limited:
              'Too many bad tokens from this address, or more than ten requests with good tokens ' +
              'for one account in a minute. Wait for `Retry-After`.',
          }),
          'x-extension': true,
        },
      },
      async (request) => {
        const { unsubscribeToken: token } = request.params
        const { unsubscribeKey } = ctx.secrets
        const named = readUnsubscribeToken(unsubscribeKey, { token, at: ctx.clock.now() })
        if (!named) {
          // Only bad tokens: the gateway sends everybody's requests from one address.
          await limits.countAnonymous(request)
          throw invalidLink()
        }
        await limits.countUnsubscription(named.accountId)
        await unsubscribeEmail(ctx, { ...named, requestId: request.id })
        return { category: named.category }
      },
    )
  }
