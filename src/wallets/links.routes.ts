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
            'For every active account. Creates the message that a wallet signs to be linked to ' +
            "the caller's account. It can be used once, within ten minutes. Next, let the wallet " +
            'sign it and send the signature to `POST /v1/consumer/wallets/links`.',
          'x-extension': true,
          tags: ['wallets'],
          body: LinkChallengeBody,
          response: answers(201, component(LinkChallengeSchema), [400, 401, 403, 503], {
            unsupported_chain: '`chainType` is not `ethereum`.',
            rate_limited: 'Ten challenges of the account in ten minutes. Wait for `Retry-After`.',
            dependency_unavailable:
              'The database is unavailable, or linking is not configured (CONSUMER_APP_ORIGIN).',
          }),
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
            'For the account that requested the challenge. Links the wallet that signed its ' +
            'message, as kind `external`; a wallet that is already linked to the account is ' +
            'returned unchanged. Signatures of contract wallets are verified on chain. Next, an ' +
            'owner may give the wallet a role with `POST …/wallet-roles`.',
          'x-extension': true,
          tags: ['wallets'],
          body: LinkWalletBody,
          response: answers(201, component(WalletSchema), [400, 401, 403, 404, 409, 503], {
            not_found: 'The account has no such challenge.',
            invalid_signature: 'Another signature. It used up the challenge: request a new one.',
            wallet_conflict: 'The wallet is linked to another account. Unlink it there first.',
            state_conflict:
              'The challenge has expired or was used: request a new one. Or the account has 50 ' +
              'linked wallets: unlink one.',
            dependency_unavailable:
              'The database is unavailable, or the chain, which verifies contract wallets. Retry.',
          }),
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

    await unlinkRoutes(ctx)(app, {})
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
            'For the holder of the wallet. Removes it from the account, and another account may ' +
            'then link it. Sessions do not link it again, even if the ID token names it. To link ' +
            'it again, start with `POST /v1/consumer/wallets/link-challenges`.',
          'x-extension': true,
          tags: ['wallets'],
          params: WalletParams,
          response: answers(200, component(WalletSchema), [401, 403, 404, 409], {
            not_found: 'The account has no such wallet, or it is already unlinked.',
            state_conflict:
              'It is a server or Solana wallet, or has a role that an owner must revoke first.',
          }),
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
