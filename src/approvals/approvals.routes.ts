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

const VERSION = '`expectedVersion` is not the current revision. Read the expense again.'

/** What preparing and signing have in common. */
const paymentErrors = {
  version_conflict: VERSION,
  self_approval:
    'The caller is or was the payee, or submitted it and another approver could sign it.',
  report_missing: 'The revision has no report.',
  vault_archived: 'The vault is archived.',
  vault_unverified: 'The vault is not verified, or it is disabled.',
  policy_missing: 'The vault has no policy.',
  policy_violation:
    "The policy does not allow the payment, does not list the caller's wallet, or asks for " +
    'several approvers and the caller has signed or leaves them less than an hour. `message` ' +
    'says which.',
  executor_not_ready: 'There is no active executor. Call `POST …/executor/provision` first.',
  insufficient_funds: 'The balance minus the reserve floor and live payments is too low.',
} as const

const prepareErrors = {
  ...paymentErrors,
  forbidden: 'The caller is not an active member, or there is no such expense.',
  state_conflict:
    'It does not await approval, its recipient is deactivated, another vault has paid it, the ' +
    "caller's wallet is a server wallet, or open approvals of the payment have another deadline, " +
    'which `message` names.',
} as const

const signErrors = {
  ...paymentErrors,
  forbidden:
    'The caller is not an active member, or the expense has no such approval prepared by the ' +
    'caller.',
  approver_wallet_required:
    'The caller has no wallet with the role `approver`, or the wallet of this approval lost it.',
  state_conflict:
    'The approval is cancelled or no longer open, the expense does not await approval, or its ' +
    'recipient is deactivated.',
  approval_expired: 'The approval is past its deadline. Prepare a new one.',
  invalid_signature: "It is not the approver's signature of this typed data.",
  policy_violation:
    'The policy does not allow the payment, it or the expense has changed since, or the caller ' +
    'has signed the payment already. `message` says which.',
} as const

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
            'For approvers other than the payee, and other than the submitter unless too few ' +
            'others can sign. Checks the policy and the funds, and returns the typed data that ' +
            "the caller's wallet signs with `eth_signTypedData_v4`, and how many approvers must " +
            'sign. Supersedes earlier preparations of the caller for the expense, not those of ' +
            'others. Approvals of a payment that several must sign share their deadline. Then ' +
            'send the signature with ' +
            '`POST …/expenses/{expenseId}/approvals/submit-signature`.',
          tags,
          params: ExpenseParams,
          body: PrepareApprovalBody,
          response: answers(
            200,
            component(PreparedApprovalSchema),
            [400, 401, 403, 409],
            prepareErrors,
          ),
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
            'For the approver who prepared it. Checks everything again. The first signature ' +
            'reserves one payment of exactly the signed terms; while the policy asks for more, ' +
            'the expense awaits them. The last one approves the expense, supersedes what others ' +
            'have prepared and has a worker queue the payment, unless the deployment releases ' +
            'payments manually: then call ' +
            '`POST …/expenses/{expenseId}/payments`. Repeating an accepted signature returns the ' +
            'payment. Poll `GET …/payments/{paymentId}` until it is `confirmed`.',
          tags,
          params: ExpenseParams,
          body: SubmitSignatureBody,
          response: answers(202, component(PaymentSchema), [400, 401, 403, 409], signErrors),
        },
      },
      async (request, reply) => {
        const { expenseId } = request.params
        const input = { actor: memberOf(request), expenseId, ...request.body }
        return reply.code(202).send(await submitSignature(ctx, input))
      },
    )

    await withdrawalRoutes(ctx)(app, {})
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
            'For the approver who prepared it, before it is signed. The service accepts no ' +
            'signature of it any more; a signature that was made elsewhere stays valid on chain ' +
            'until the deadline, but only the executor can use it. Repeating it changes nothing.',
          tags,
          params: ExpenseParams,
          body: CancelSigningBody,
          response: answers(200, CancelledSigningSchema, [400, 401, 403, 409], {
            forbidden:
              'The caller is not an active member, or the expense has no such approval prepared ' +
              'by the caller.',
            version_conflict: VERSION,
            state_conflict: 'The approval is signed, or it has ended.',
          }),
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
            "For owners and the approver. Reports the transaction in which the vault's owner or " +
            'the approver invalidated the approval on chain, so that it takes effect here at ' +
            'once; the service also finds it by itself. A payment that was not sent is blocked ' +
            'with `approval_invalidated`, and the expense awaits a new approval.',
          tags,
          params: ApprovalParams,
          body: InvalidateBody,
          response: answers(200, InvalidatedApprovalSchema, [400, 401, 403, 409], {
            forbidden:
              'The caller is neither an owner nor the approver, or there is no such approval.',
            state_conflict:
              'The transaction is unknown or not final yet, or the approval had ended before.',
            transaction_failed: 'The transaction was reverted.',
            transaction_mismatch:
              'The transaction does not invalidate this approval, or not by somebody who may.',
          }),
        },
      },
      async (request) => {
        const { approvalId } = request.params
        return invalidateApproval(ctx, { actor: memberOf(request), approvalId, ...request.body })
      },
    )
  }
