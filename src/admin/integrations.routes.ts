import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { operatorOf } from '#access/guard.ts'
import { answers, component } from '#http/openapi.ts'
import { IntegrationsSchema } from './integrations.schema.ts'
import { type IntegrationsContext, readIntegrations } from './read-integrations.ts'

export const integrationRoutes =
  (ctx: IntegrationsContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      '/v1/admin/integrations/status',
      {
        schema: {
          operationId: 'getIntegrationsStatus',
          summary: 'Get integration status',
          description:
            'For operators. Health of every service that the deployment depends on, from the ' +
            'results that workers store; nothing is called for this read. `service.changed` ' +
            'events of `GET /v1/admin/live/stream` say when a severity changes. The read is ' +
            'recorded in the audit trail of the service.',
          tags: ['integrations'],
          response: answers(200, component(IntegrationsSchema), [401, 403]),
        },
      },
      async (request) => ({
        integrations: await readIntegrations(ctx, { operator: operatorOf(request) }),
      }),
    )
  }
