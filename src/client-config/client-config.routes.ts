import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ETagHeader, IfNoneMatchHeaders, isKnown, notModified } from '#http/if-none-match.ts'
import { BODY_MAX_BYTES } from '#http/json-body.ts'
import { answers, component } from '#http/openapi.ts'
import { sha256 } from '#platform/digest.ts'
import { ClientConfigSchema, lengths } from './client-config.schema.ts'
import { type ClientConfigContext, describeClientConfig } from './client-config.ts'

const CACHED_SECONDS = 300

const config = component(ClientConfigSchema)
const response = {
  ...answers(200, config, []),
  200: { ...config, headers: { ETag: ETagHeader } },
  304: notModified,
}

/** It depends only on the process's configuration, so it is built once. */
export const clientConfigRoutes =
  (ctx: ClientConfigContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    const described = describeClientConfig(ctx, { lengths, requestBodyBytes: BODY_MAX_BYTES })
    const tag = `"${sha256(JSON.stringify(described)).toString('base64url').slice(0, 27)}"`

    app.get(
      '/v1/consumer/config',
      {
        schema: {
          operationId: 'getClientConfig',
          summary: 'Get the client configuration',
          description:
            'For everybody, without an access token. Chain, explorer, token, limits and features ' +
            'of this deployment, which applications need before anybody signs in. It contains ' +
            'no secret. It may be cached for five minutes; after that, its ETag in ' +
            'If-None-Match is answered with 304 if nothing has changed.',
          tags: ['configuration'],
          headers: IfNoneMatchHeaders,
          response,
          'x-extension': true,
        },
      },
      async (request, reply) => {
        reply.headers({ etag: tag, 'cache-control': `public, max-age=${CACHED_SECONDS}` })
        return answer(request, reply, described)
      },
    )
  }

function answer(request: FastifyRequest, reply: FastifyReply, described: object) {
  const tag = String(reply.getHeader('etag'))
  if (isKnown(request.headers['if-none-match'], tag)) return reply.code(304).send()
  return reply.send(described)
}
