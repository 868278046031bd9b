import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { memberOf } from '#access/guard.ts'
import type { Context } from '#context.ts'
import { answers, component } from '#http/openapi.ts'
import { OrganizationParams } from '#organizations/organizations.schema.ts'
import { readPage } from '#platform/paging.ts'
import { acknowledgeUnrecordedPayment } from './acknowledge-unrecorded-payment.ts'
import { readUnrecordedPayments } from './read-unrecorded-payments.ts'
import {
  AcknowledgeBody,
  UnrecordedPaymentListSchema,
  UnrecordedPaymentParams,
  UnrecordedPaymentQuery,
  UnrecordedPaymentSchema,
} from './unrecorded-payments.schema.ts'

const path = '/v1/consumer/organizations/:organizationId/unrecorded-payments'
const tags = ['payments']

export const unrecordedPaymentRoutes =
  (ctx: Pick<Context, 'db' | 'clock' | 'ids'>): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      path,
      {
        schema: {
          operationId: 'listUnrecordedPayments',
          summary: 'List unrecorded payments',
          description:
            'For owners and managers. Payments that a vault of the organization has executed and ' +
            'for which the service has no payment: a restored backup lacks them, or somebody ' +
            "else used the executor's key. Newest first. Owners get a task for each open one; " +
            'find out what it was, then call `POST ' +
            '…/unrecorded-payments/{unrecordedPaymentId}/acknowledge`.',
          tags,
          params: OrganizationParams,
          querystring: UnrecordedPaymentQuery,
          response: answers(200, UnrecordedPaymentListSchema, [400, 401, 403]),
          'x-extension': true,
        },
      },
      async (request) => {
        const { state, ...paging } = request.query
        const input = { member: memberOf(request), state, page: readPage(paging) }
        const { items, nextCursor } = await readUnrecordedPayments(ctx, input)
        return { unrecordedPayments: items, nextCursor }
      },
    )

    app.post(
      `${path}/:unrecordedPaymentId/acknowledge`,
      {
        schema: {
          operationId: 'acknowledgeUnrecordedPayment',
          summary: 'Acknowledge an unrecorded payment',
          description:
            'For owners. States what the payment was. This ends the task of the owners and the ' +
            'severity `action_required`; the reason is recorded in the audit trail.',
          tags,
          params: UnrecordedPaymentParams,
          body: AcknowledgeBody,
          response: answers(200, component(UnrecordedPaymentSchema), [400, 401, 403, 404, 409], {
            validation_failed: 'A field does not match this page, or `reason` is blank.',
            not_found: 'The organization has no such unrecorded payment.',
            state_conflict:
              'It is not open: it is acknowledged, its payment was found, or its log is gone.',
          }),
          'x-extension': true,
        },
      },
      async (request) => {
        const { unrecordedPaymentId } = request.params
        const input = { actor: memberOf(request), unrecordedPaymentId, ...request.body }
        return acknowledgeUnrecordedPayment(ctx, input)
      },
    )
  }
