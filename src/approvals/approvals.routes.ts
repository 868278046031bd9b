import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { memberOf } from '#access/guard.ts'
import type { Context } from '#context.ts'
import { ExpenseParams } from '#expenses/expenses.schema.ts'
import { answers, component } from '#http/openapi.ts'
import { PaymentSchema } from '#payments/payments.schema.ts'
import {
  ApprovalParams,
  CancelledSigningSchema,
  CancelSigningBody,
  InvalidateBody,
  InvalidatedApprovalSchema,
  PrepareApprovalBody,
  PreparedApprovalSchema,
  SubmitSignatureBody,
} from './approvals.schema.ts'
import { prepareApproval } from './prepare-approval.ts'
import { submitSignature } from './submit-signature.ts'
import { cancelSigning, invalidateApproval } from './withdraw-approval.ts'

const org = '/v1/consumer/organizations/:organizationId'
const tags = ['approvals']

type ApprovalContext = Pick<
  Context,
  'db' | 'clock' | 'ids' | 'chain' | 'config' | 'secrets' | 'outcomes'
>

export const approvalRoutes =
  (ctx: ApprovalContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.post(
      `${org}/expenses/:expenseId/approvals/prepare`,
      {
        schema: {
          operationId: 'prepareApproval',
          summary: 'Prepare an approval',
          description:
            'For approvers. Returns the typed data that the approver wallet of the caller signs. ' +
            'Supersedes earlier approvals of the caller for the expense.',
          tags,
          params: ExpenseParams,
          body: PrepareApprovalBody,
          response: answers(200, component(PreparedApprovalSchema), [400, 401, 403, 409]),
        },
      },
      async (request) => {
        const { expenseId } = request.params
        const { expectedVersion, deadlineSeconds } = request.body
        const target = { actor: memberOf(request), expenseId, expectedVersion }
        return prepareApproval(ctx, { ...target, deadlineSeconds })
      },
    )

    app.post(
      `${org}/expenses/:expenseId/approvals/submit-signature`,
      {
        schema: {
          operationId: 'submitSignature',
          summary: 'Submit an approval signature',
          description:
            'For the approver who prepared it. Reserves one payment of exactly the signed terms ' +
            'and releases it unless the deployment releases payments manually.',
          tags,
          params: ExpenseParams,
          body: SubmitSignatureBody,
          response: answers(202, component(PaymentSchema), [400, 401, 403, 409]),
        },
      },
      async (request, reply) => {
        const { expenseId } = request.params
        const input = { actor: memberOf(request), expenseId, ...request.body }
        return reply.code(202).send(await submitSignature(ctx, input))
      },
    )

    await app.register(withdrawalRoutes(ctx))
  }

const withdrawalRoutes =
  (ctx: ApprovalContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.post(
      `${org}/expenses/:expenseId/approvals/cancel-signing`,
      {
        schema: {
          operationId: 'cancelSigning',
          summary: 'Cancel a prepared approval',
          description:
            'For the approver who prepared it. It can no longer be signed. Answers 409 once it ' +
            'is signed.',
          tags,
          params: ExpenseParams,
          body: CancelSigningBody,
          response: answers(200, CancelledSigningSchema, [400, 401, 403, 409]),
        },
      },
      async (request) => {
        const { expenseId } = request.params
        return cancelSigning(ctx, { actor: memberOf(request), expenseId, ...request.body })
      },
    )

    app.post(
      `${org}/approvals/:approvalId/invalidate`,
      {
        schema: {
          operationId: 'invalidateApproval',
          summary: 'Invalidate an approval',
          description:
            'For owners and the approver. Submits the final transaction that invalidated the ' +
            'approval on chain. Answers 409 until that transaction is final.',
          tags,
          params: ApprovalParams,
          body: InvalidateBody,
          response: answers(200, InvalidatedApprovalSchema, [400, 401, 403, 409]),
        },
      },
      async (request) => {
        const { approvalId } = request.params
        return invalidateApproval(ctx, { actor: memberOf(request), approvalId, ...request.body })
      },
    )
  }
