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

const releaseErrors = {
  forbidden: 'The caller is not an active member, or there is no such expense.',
  version_conflict: '`expectedVersion` is not the current revision. Read the expense again.',
  state_conflict:
    'It is not authorised yet or no longer, signatures are missing, its recipient is ' +
    'deactivated, another vault has paid it, or its records were forged.',
  executor_not_ready: 'There is no active executor. Call `POST …/executor/provision` first.',
  approval_expired: 'The approval is past its deadline. Prepare and sign a new one.',
  vault_archived: 'The vault is archived.',
  vault_unverified: 'The vault is not verified, or it is disabled.',
  policy_missing: 'The vault has no policy.',
  policy_violation: 'The policy or an automatic limit does not allow it. `message` says which.',
  insufficient_funds: 'The balance minus the reserve floor and live payments is too low.',
} as const

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
            'For owners and managers. Queues an authorised payment where releases are manual, ' +
            'and releases a blocked or failed one again after its cause is repaired. The answer ' +
            'waits briefly for a worker, which checks everything again. Releasing a payment ' +
            'whose outcome cannot be found states that it is lost, so that it fails and can be ' +
            'paid again. Then poll `GET …/payments/{paymentId}` until it is `confirmed`.',
          tags,
          params: ExpenseParams,
          body: VersionBody,
          response: answers(202, component(PaymentSchema), [400, 401, 403, 409], releaseErrors),
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
            'For any member; employees see payments of their own expenses and of those that they ' +
            'approved. The payment with its ' +
            'attempts, its receipt and its evidence bundle. Save the answer to a file to verify ' +
            'it without this service.',
          tags,
          params: PaymentParams,
          response: answers(200, PaymentDetailSchema, [401, 403, 404], {
            not_found: 'Nothing is reserved for the expense yet, or the caller cannot see it.',
          }),
        },
      },
      async (request) => {
        const { paymentId } = request.params
        return readPayment(ctx, { member: memberOf(request), paymentId })
      },
    )

    await reconcileRoutes(ctx)(app, {})
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
            'For owners and managers. Has a worker search the chain for the outcome of a payment ' +
            'that may have been sent: in flight, or blocked with an open attempt. The answer ' +
            'waits briefly for the worker. Then poll `GET …/payments/{paymentId}`.',
          tags,
          params: PaymentParams,
          body: ReconcileBody,
          response: answers(202, component(PaymentSchema), [400, 401, 403, 404, 409], {
            not_found: 'The organization has no such payment.',
            version_conflict:
              '`expectedVersion` is not the revision that the payment pays. Read it again.',
            state_conflict: 'Nothing was sent that could have paid, or the payment is settled.',
          }),
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
            'For any member; employees see payments of their own expenses. Newest first, by the ' +
            'creation of their expenses. Filters can be combined. `GET …/payments/{paymentId}` ' +
            'adds attempts, receipt and evidence.',
          tags,
          params: OrganizationParams,
          querystring: ActivityQuery,
          response: answers(200, PaymentListSchema, [401, 403], {
            validation_failed:
              'A parameter does not match this page, `q` has no letter or digit, or a range is ' +
              'empty.',
          }),
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
