import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { memberOf } from '#access/guard.ts'
import type { Context } from '#context.ts'
import { ExpenseParams, VersionBody } from '#expenses/expenses.schema.ts'
import { answers, component } from '#http/openapi.ts'
import { OrganizationParams } from '#organizations/organizations.schema.ts'
import { readPage } from '#platform/paging.ts'
import { readActivityFilter } from './activity-filter.ts'
import {
  ActivityQuery,
  PaymentDetailSchema,
  PaymentListSchema,
  PaymentParams,
  PaymentSchema,
  ReconcileBody,
} from './payments.schema.ts'
import { queuePayment } from './queue-payment.ts'
import { readActivity, readPayment } from './read-payments.ts'
import { reconcilePayment } from './reconcile-payment.ts'

const org = '/v1/consumer/organizations/:organizationId'
const tags = ['payments']

export const paymentRoutes =
  (ctx: Pick<Context, 'db' | 'clock' | 'ids' | 'config' | 'outcomes'>): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.post(
      `${org}/expenses/:expenseId/payments`,
      {
        schema: {
          operationId: 'queuePayment',
          summary: 'Release a payment',
          description:
            'Owners and managers. Queues an authorised payment, or releases a blocked or failed ' +
            'one again. Answers 409 while it is not authorised or no longer allowed.',
          tags,
          params: ExpenseParams,
          body: VersionBody,
          response: answers(202, component(PaymentSchema), [400, 401, 403, 409]),
        },
      },
      async (request, reply) => {
        const { expenseId } = request.params
        const input = { actor: memberOf(request), expenseId, ...request.body }
        return reply.code(202).send(await queuePayment(ctx, input))
      },
    )

    app.get(
      `${org}/payments/:paymentId`,
      {
        schema: {
          operationId: 'getPayment',
          summary: 'Get a payment',
          description:
            'Includes its attempts, its receipt and its evidence bundle. Employees see payments ' +
            'of their own expenses.',
          tags,
          params: PaymentParams,
          response: answers(200, PaymentDetailSchema, [401, 403, 404]),
        },
      },
      async (request) => {
        const { paymentId } = request.params
        return readPayment(ctx, { member: memberOf(request), paymentId })
      },
    )

    await app.register(reconcileRoutes(ctx))
  }

const reconcileRoutes =
  (ctx: Pick<Context, 'db' | 'clock' | 'ids' | 'config' | 'outcomes'>): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.post(
      `${org}/payments/:paymentId/reconcile`,
      {
        schema: {
          operationId: 'reconcilePayment',
          summary: 'Reconcile a payment',
          description:
            'Owners and managers. Has the engine search the chain for the outcome of a payment ' +
            'that may have been sent.',
          tags,
          params: PaymentParams,
          body: ReconcileBody,
          response: answers(202, component(PaymentSchema), [400, 401, 403, 404, 409]),
        },
      },
      async (request, reply) => {
        const { paymentId } = request.params
        const input = { actor: memberOf(request), paymentId, ...request.body }
        return reply.code(202).send(await reconcilePayment(ctx, input))
      },
    )

    app.get(
      `${org}/activity`,
      {
        schema: {
          operationId: 'listActivity',
          summary: 'List payments',
          description:
            'Newest first, by the creation of their expenses. Employees see payments of their ' +
            'own expenses. Filters can be combined.',
          tags,
          params: OrganizationParams,
          querystring: ActivityQuery,
          response: answers(200, PaymentListSchema, [401, 403]),
        },
      },
      async (request) => {
        const { limit, cursor, ...filters } = request.query
        const page = readPage({ ...(limit && { limit }), ...(cursor && { cursor }) })
        const filter = readActivityFilter(filters)
        return readActivity(ctx, { member: memberOf(request), page, filter })
      },
    )
  }
