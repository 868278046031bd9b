/** Routes that link and unlink wallets of consumers. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { accountOf } from '#access/guard.ts'
import type { Context } from '#context.ts'
import { answers, component } from '#http/openapi.ts'
import { challengeLink } from './challenge-link.ts'
import { linkWallet } from './link-wallet.ts'
import { unlinkWallet } from './unlink-wallet.ts'
import {
  LinkChallengeBody,
  LinkChallengeSchema,
  LinkWalletBody,
  WalletParams,
  WalletSchema,
} from './wallets.schema.ts'

const wallets = '/v1/consumer/wallets'

export const linkRoutes =
  (ctx: Pick<Context, 'db' | 'clock' | 'ids' | 'config' | 'chain'>): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.post(
      `${wallets}/link-challenges`,
      {
        schema: {
          operationId: 'challengeWalletLink',
          summary: 'Request a link message',
          description:
            "Creates the message that a wallet signs to be linked to the caller's account. It " +
            'can be used once, within ten minutes. At most ten in ten minutes (429). Answers 503 ' +
            "if the operator has not configured the application's origin (CONSUMER_APP_ORIGIN).",
          'x-extension': true,
          tags: ['wallets'],
          body: LinkChallengeBody,
          response: answers(201, component(LinkChallengeSchema), [400, 401, 403, 503]),
        },
      },
      async (request, reply) => {
        const { address, chainType = 'ethereum' } = request.body
        const input = { accountId: accountOf(request).id, address, chainType }
        return reply.code(201).send(await challengeLink(ctx, input))
      },
    )

    app.post(
      `${wallets}/links`,
      {
        schema: {
          operationId: 'linkWallet',
          summary: 'Link a wallet by signature',
          description:
            'Links the wallet that signed the message of the challenge, as kind `external`. ' +
            'Answers 409 `invalid_signature` for any other signature, which uses up the ' +
            'challenge, `wallet_conflict` if the wallet is linked to another account, and ' +
            '`state_conflict` for a challenge that has expired or was used. Signatures of ' +
            'contract wallets are verified on chain (503 while it is unavailable).',
          'x-extension': true,
          tags: ['wallets'],
          body: LinkWalletBody,
          response: answers(201, component(WalletSchema), [400, 401, 403, 404, 409, 503]),
        },
      },
      async (request, reply) => {
        const { challengeId, signature } = request.body
        const { id: accountId } = accountOf(request)
        const input = { accountId, requestId: request.id, signature }
        const id = challengeId.toLowerCase()
        return reply.code(201).send(await linkWallet(ctx, { ...input, challengeId: id }))
      },
    )

    await app.register(unlinkRoutes(ctx))
  }

const unlinkRoutes =
  (ctx: Pick<Context, 'db' | 'clock' | 'ids'>): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.post(
      `${wallets}/:walletId/unlink`,
      {
        schema: {
          operationId: 'unlinkWallet',
          summary: 'Unlink a wallet',
          description:
            'Another account may then link it. Answers 409 while it has an active wallet role, ' +
            'and for server and Solana wallets. Sessions do not link it again, even if the ID ' +
            'token names it; link it by a signature instead.',
          'x-extension': true,
          tags: ['wallets'],
          params: WalletParams,
          response: answers(200, component(WalletSchema), [401, 403, 404, 409]),
        },
      },
      async (request) => {
        const { walletId } = request.params
        return unlinkWallet(ctx, {
          accountId: accountOf(request).id,
          requestId: request.id,
          walletId,
        })
      },
    )
  }
