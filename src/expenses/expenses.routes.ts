import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { earlyRead } from '#access/early-reads.ts'
import { memberOf } from '#access/guard.ts'
import type { Member } from '#access/permissions.ts'
import type { Context } from '#context.ts'
import { IdempotencyHeaders, idempotentRequest, sendAnswer } from '#http/idempotency-key.ts'
import { answers, component } from '#http/openapi.ts'
import { sendRendered } from '#http/rendered-answer.ts'
import { OrganizationParams } from '#organizations/organizations.schema.ts'
import { PageQuery, readPage } from '#platform/paging.ts'
import type { Static } from '#platform/schema.ts'
import { cancelExpense, reviseExpense } from './change-expense.ts'
import { commentOnExpense } from './comment-on-expense.ts'
import { createExpense } from './create-expense.ts'
import { isFiltered, readExpenseFilter } from './expense-filter.ts'
import {
  ExpenseCountQuery,
  ExpenseCountsSchema,
  ExpenseListQuery,
  ExpenseListSchema,
} from './expense-lists.schema.ts'
import {
  CommentBody,
  CommentListSchema,
  ExpenseBody,
  ExpenseParams,
  ExpenseSchema,
  ReviewBody,
  RevisionBody,
  VersionBody,
} from './expenses.schema.ts'
import {
  countExpenses,
  type ListContext,
  listNewest,
  readExpenses,
  toExpensePage,
  type Waiting,
} from './list-expenses.ts'
import { findVisibleExpense, readComments, toExpenseAnswer } from './read-expenses.ts'
import { reviewExpense } from './review-expense.ts'

const org = '/v1/consumer/organizations/:organizationId'
const tags = ['expenses']

const VERSION = '`expectedVersion` is not the current revision. Read the expense again.'
const NOT_VISIBLE = 'There is no such expense, or an employee asks for one of another member.'
const ARCHIVED = 'The vault is archived.'
const UNVERIFIED = 'The vault is not verified yet, or it is disabled.'
const filterErrors = {
  validation_failed:
    'A parameter does not match this page, `q` has no letter or digit, or a range is empty.',
} as const

type ExpenseContext = Pick<Context, 'db' | 'clock' | 'ids' | 'reactions'>

export const expenseRoutes =
  (ctx: ExpenseContext, waiting: Waiting): FastifyPluginAsyncTypebox =>
  async (app) => {
    await listRoutes({ db: ctx.db, waiting })(app, {})
    await creationRoutes(ctx)(app, {})
    await changeRoutes(ctx)(app, {})
  }

type ListQuery = Static<typeof ExpenseListQuery>

const pageOf = ({ limit, cursor }: ListQuery) =>
  readPage({ ...(limit && { limit }), ...(cursor && { cursor }) })

/** The list without a filter. */
const newest = earlyRead(
  ({ member, query }: { member: Member; params: unknown; query: ListQuery }) => {
    const { limit, cursor, ...filters } = query
    if (isFiltered(filters)) return undefined
    const page = pageOf(query)
    return (reader) => listNewest(reader, { member, page })
  },
)

const detail = earlyRead(
  ({ member, params }: { member: Member; params: { expenseId: string }; query: unknown }) =>
    (reader) =>
      findVisibleExpense(reader, { member, expenseId: params.expenseId }),
)

const listRoutes =
  (ctx: ListContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      `${org}/expenses`,
      {
        schema: {
          operationId: 'listExpenses',
          summary: 'List expenses',
          description:
            'For any member. Newest first. Owners and managers see all expenses of the ' +
            'organization, employees their own. Filters apply to the current revision and can be ' +
            'combined; with a filter a page may be shorter than its limit, so continue until ' +
            '`nextCursor` is null. `GET …/expenses/{expenseId}` adds earlier revisions, ' +
            'comments, reviews and approvals.',
          tags,
          params: OrganizationParams,
          querystring: ExpenseListQuery,
          response: answers(200, ExpenseListSchema, [401, 403], filterErrors),
        },
        config: newest.config,
      },
      async (request, reply) => {
        const { params, query } = request
        const { waitingFor, limit: _limit, cursor: _cursor, ...filters } = query
        const page = pageOf(query)
        const member = memberOf(request)
        const rows = await newest.rowsOf(ctx.db, request, { member, params, query })
        if (rows) return sendRendered(reply, toExpensePage(rows, page))
        const filter = readExpenseFilter(filters)
        const listing = { member, page, filter, ...(waitingFor && { waitingFor }) }
        return sendRendered(reply, await readExpenses(ctx, listing))
      },
    )

    app.get(
      `${org}/expense-counts`,
      {
        schema: {
          operationId: 'countExpenses',
          summary: 'Count expenses by state',
          description:
            'For any member; employees count their own. Counts the expenses that ' +
            '`GET …/expenses` lists with the same filters, for tabs and badges.',
          tags,
          params: OrganizationParams,
          querystring: ExpenseCountQuery,
          response: answers(200, ExpenseCountsSchema, [400, 401, 403], filterErrors),
          'x-extension': true,
        },
      },
      async (request) => {
        const { waitingFor, ...filters } = request.query
        return countExpenses(ctx, {
          member: memberOf(request),
          filter: readExpenseFilter(filters),
          ...(waitingFor && { waitingFor }),
        })
      },
    )
  }

const creationRoutes =
  (ctx: ExpenseContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.post(
      `${org}/expenses`,
      {
        schema: {
          operationId: 'createExpense',
          summary: 'Create an expense',
          description:
            'For any member. Creates a draft with its first revision, and fixes the id of its ' +
            "payment. The recipient's address and label are copied, so that later changes cannot " +
            'redirect the money. Next, `POST …/expenses/{expenseId}/submit` has it analysed.',
          tags,
          params: OrganizationParams,
          headers: IdempotencyHeaders,
          body: ExpenseBody,
          response: answers(201, component(ExpenseSchema), [400, 401, 403, 409], {
            validation_failed:
              'A field does not match this page, a text is blank, the amount is 0, or the ' +
              'category does not exist.',
            forbidden:
              'The caller is not an active member, or the organization has no such vault, ' +
              'recipient or attachment.',
            vault_archived: ARCHIVED,
            vault_unverified: UNVERIFIED,
            state_conflict:
              'The recipient is deactivated, or two other expenses use one of the attachments.',
          }),
        },
      },
      async (request, reply) => {
        const answer = await createExpense(ctx, {
          actor: memberOf(request),
          terms: request.body,
          request: idempotentRequest(request),
        })
        return reply.code(201).send(sendAnswer(reply, answer))
      },
    )

    app.get(
      `${org}/expenses/:expenseId`,
      {
        schema: {
          operationId: 'getExpense',
          summary: 'Get an expense',
          description:
            'For any member; employees see their own and what they are asked to approve. The ' +
            'expense with all its revisions, ' +
            'comments, reviews and approvals. Its report is at `GET …/reports/{reportId}`, and ' +
            'its payment, once reserved, at `GET …/payments/{paymentId}`.',
          tags,
          params: ExpenseParams,
          response: answers(200, component(ExpenseSchema), [401, 403, 404], {
            not_found: NOT_VISIBLE,
          }),
        },
        config: detail.config,
      },
      async (request, reply) => {
        const { params, query } = request
        const member = memberOf(request)
        const found = await detail.rowsOf(ctx.db, request, { member, params, query })
        return sendRendered(reply, toExpenseAnswer(found))
      },
    )
  }

const revisionErrors = {
  validation_failed:
    'A field does not match this page, a text is blank, the amount is 0, or the category does ' +
    'not exist.',
  forbidden:
    'The caller is not an active member or not the submitter, or there is no such expense, ' +
    'vault, recipient or attachment.',
  version_conflict: VERSION,
  vault_archived: ARCHIVED,
  vault_unverified: UNVERIFIED,
  state_conflict:
    'The state allows no revision, a payment may still be executed, 100 revisions exist, or the ' +
    'recipient or an attachment cannot be used.',
} as const

const reviewErrors = {
  validation_failed: 'A field does not match this page, or `reason` is blank.',
  forbidden: 'The caller is not an active member, or the organization has no such expense.',
  self_review: 'The caller is or was the payee, or submitted it and somebody else could review it.',
  version_conflict: VERSION,
  state_conflict:
    'The state does not allow this action, a payment may still be executed, or (to advance) the ' +
    'recipient is deactivated.',
  report_missing: 'To advance: the revision has no report.',
  vault_archived: 'To advance: the vault is archived.',
  vault_unverified: 'To advance: the vault is not verified, or it is disabled.',
} as const

const changeRoutes =
  (ctx: ExpenseContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.post(
      `${org}/expenses/:expenseId/revisions`,
      {
        schema: {
          operationId: 'reviseExpense',
          summary: 'Revise an expense',
          description:
            'For the submitter, before the expense is signed or after it was blocked. Adds a ' +
            'revision with all terms, voids approvals of earlier ones and moves the expense back ' +
            'to `draft`. Next, `POST …/expenses/{expenseId}/submit` has the new revision analysed.',
          tags,
          params: ExpenseParams,
          body: RevisionBody,
          response: answers(201, component(ExpenseSchema), [400, 401, 403, 409], revisionErrors),
        },
      },
      async (request, reply) => {
        const { expectedVersion, reason, ...terms } = request.body
        const { expenseId } = request.params
        const target = { actor: memberOf(request), expenseId, expectedVersion }
        const revised = await reviseExpense(ctx, { ...target, terms, reason })
        return sendRendered(reply.code(201), revised)
      },
    )

    app.post(
      `${org}/expenses/:expenseId/review`,
      {
        schema: {
          operationId: 'reviewExpense',
          summary: 'Review an expense',
          description:
            'For owners and managers other than the payee, and other than the submitter unless ' +
            'nobody else can review it. Requests a revision, rejects the expense or advances it ' +
            'to approval; approvals that were prepared before are void. The reason is kept in ' +
            '`reviews`. After an advance, an approver calls ' +
            '`POST …/expenses/{expenseId}/approvals/prepare`.',
          tags,
          params: ExpenseParams,
          body: ReviewBody,
          response: answers(200, component(ExpenseSchema), [400, 401, 403, 409], reviewErrors),
        },
      },
      async (request, reply) => {
        const { expenseId } = request.params
        const review = { actor: memberOf(request), expenseId, ...request.body }
        return sendRendered(reply, await reviewExpense(ctx, review))
      },
    )

    await otherRoutes(ctx)(app, {})
  }

const otherRoutes =
  (ctx: ExpenseContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      `${org}/expenses/:expenseId/comments`,
      {
        schema: {
          operationId: 'listComments',
          summary: 'List the comments of an expense',
          description:
            'For members who can see the expense. All its comments by page, newest first. ' +
            '`GET …/expenses/{expenseId}` already has the newest 50.',
          'x-extension': true,
          tags,
          params: ExpenseParams,
          querystring: PageQuery,
          response: answers(200, CommentListSchema, [400, 401, 403, 404], {
            not_found: NOT_VISIBLE,
          }),
        },
      },
      async (request, reply) => {
        const { expenseId } = request.params
        const page = readPage(request.query)
        const reading = { member: memberOf(request), expenseId, page }
        return sendRendered(reply, await readComments(ctx, reading))
      },
    )

    app.post(
      `${org}/expenses/:expenseId/comments`,
      {
        schema: {
          operationId: 'commentOnExpense',
          summary: 'Comment on an expense',
          description:
            'For owners and managers, and for employees on their own expenses, in every state. ' +
            'Adds a comment, which does not change the state and cannot be removed. Returns the ' +
            'expense with its newest comments.',
          tags,
          params: ExpenseParams,
          body: CommentBody,
          response: answers(201, component(ExpenseSchema), [400, 401, 403, 404], {
            validation_failed:
              'The body does not match this page or is blank, or the expense has 20,000 ' +
              'comments.',
            not_found: NOT_VISIBLE,
          }),
        },
      },
      async (request, reply) => {
        const { expenseId } = request.params
        const input = { actor: memberOf(request), expenseId, body: request.body.body }
        return sendRendered(reply.code(201), await commentOnExpense(ctx, input))
      },
    )

    await cancelRoutes(ctx)(app, {})
  }

const cancelRoutes =
  (ctx: ExpenseContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.post(
      `${org}/expenses/:expenseId/cancel`,
      {
        schema: {
          operationId: 'cancelExpense',
          summary: 'Cancel an expense',
          description:
            'For the submitter, before the expense is signed or after it was blocked. Ends the ' +
            'expense and voids its approvals. It cannot be undone: create a new expense instead.',
          'x-extension': true,
          tags,
          params: ExpenseParams,
          body: VersionBody,
          response: answers(200, component(ExpenseSchema), [400, 401, 403, 409], {
            forbidden:
              'The caller is not an active member or not the submitter, or there is no such ' +
              'expense.',
            version_conflict: VERSION,
            state_conflict:
              'The state does not allow it, or the payment may still be executed: reconcile it ' +
              'first.',
          }),
        },
      },
      async (request, reply) => {
        const { expenseId } = request.params
        const { expectedVersion } = request.body
        const target = { actor: memberOf(request), expenseId, expectedVersion }
        return sendRendered(reply, await cancelExpense(ctx, target))
      },
    )
  }
