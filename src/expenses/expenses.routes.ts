import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { memberOf } from '#access/guard.ts'
import type { Context } from '#context.ts'
import { IdempotencyHeaders, idempotentRequest, sendAnswer } from '#http/idempotency-key.ts'
import { answers, component } from '#http/openapi.ts'
import { OrganizationParams } from '#organizations/organizations.schema.ts'
import { readPage } from '#platform/paging.ts'
import { cancelExpense, reviseExpense } from './change-expense.ts'
import { commentOnExpense } from './comment-on-expense.ts'
import { createExpense } from './create-expense.ts'
import { readExpenseFilter } from './expense-filter.ts'
import {
  CommentBody,
  ExpenseBody,
  ExpenseCountQuery,
  ExpenseCountsSchema,
  ExpenseListQuery,
  ExpenseListSchema,
  ExpenseParams,
  ExpenseSchema,
  ReviewBody,
  RevisionBody,
  VersionBody,
} from './expenses.schema.ts'
import { countExpenses, type ListContext, readExpenses, type Waiting } from './list-expenses.ts'
import { readExpense } from './read-expenses.ts'
import { reviewExpense } from './review-expense.ts'

const org = '/v1/consumer/organizations/:organizationId'
const tags = ['expenses']

type ExpenseContext = Pick<Context, 'db' | 'clock' | 'ids' | 'reactions'>

export const expenseRoutes =
  (ctx: ExpenseContext, waiting: Waiting): FastifyPluginAsyncTypebox =>
  async (app) => {
    await app.register(listRoutes({ db: ctx.db, waiting }))
    await app.register(creationRoutes(ctx))
    await app.register(changeRoutes(ctx))
  }

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
            'Newest first. Owners and managers see all expenses of the organization, employees ' +
            'their own. Filters apply to the current revision and can be combined. With a filter ' +
            'a page may be shorter than its limit: continue until `nextCursor` is null.',
          tags,
          params: OrganizationParams,
          querystring: ExpenseListQuery,
          response: answers(200, ExpenseListSchema, [401, 403]),
        },
      },
      async (request) => {
        const { limit, cursor, waitingFor, ...filters } = request.query
        const page = readPage({ ...(limit && { limit }), ...(cursor && { cursor }) })
        const { items, nextCursor } = await readExpenses(ctx, {
          member: memberOf(request),
          page,
          filter: readExpenseFilter(filters),
          ...(waitingFor && { waitingFor }),
        })
        return { expenses: items, nextCursor }
      },
    )

    app.get(
      `${org}/expense-counts`,
      {
        schema: {
          operationId: 'countExpenses',
          summary: 'Count expenses by state',
          description:
            'Counts the expenses that the list would show with the same filters. For any member; ' +
            'employees count their own.',
          tags,
          params: OrganizationParams,
          querystring: ExpenseCountQuery,
          response: answers(200, ExpenseCountsSchema, [400, 401, 403]),
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
          description: 'For any member. Creates a draft; submit it to have it analysed.',
          tags,
          params: OrganizationParams,
          headers: IdempotencyHeaders,
          body: ExpenseBody,
          response: answers(201, component(ExpenseSchema), [400, 401, 403, 409]),
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
            'With its revisions, comments, reviews and approvals. Answers 404 to an employee for ' +
            'an expense of another member.',
          tags,
          params: ExpenseParams,
          response: answers(200, component(ExpenseSchema), [401, 403, 404]),
        },
      },
      async (request) => {
        const { expenseId } = request.params
        return readExpense(ctx, { member: memberOf(request), expenseId })
      },
    )
  }

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
            'For the submitter. Adds a revision, voids earlier approvals and moves the expense ' +
            'back to draft. Answers 409 while its payment may still be executed.',
          tags,
          params: ExpenseParams,
          body: RevisionBody,
          response: answers(201, component(ExpenseSchema), [400, 401, 403, 409]),
        },
      },
      async (request, reply) => {
        const { expectedVersion, reason, ...terms } = request.body
        const { expenseId } = request.params
        const target = { actor: memberOf(request), expenseId, expectedVersion }
        return reply.code(201).send(await reviseExpense(ctx, { ...target, terms, reason }))
      },
    )

    app.post(
      `${org}/expenses/:expenseId/review`,
      {
        schema: {
          operationId: 'reviewExpense',
          summary: 'Review an expense',
          description:
            'For owners and managers other than the submitter and the payee. Requests a ' +
            'revision, rejects the expense or advances it to approval.',
          tags,
          params: ExpenseParams,
          body: ReviewBody,
          response: answers(200, component(ExpenseSchema), [400, 401, 403, 409]),
        },
      },
      async (request) => {
        const { expenseId } = request.params
        return reviewExpense(ctx, { actor: memberOf(request), expenseId, ...request.body })
      },
    )

    await app.register(otherRoutes(ctx))
  }

const otherRoutes =
  (ctx: ExpenseContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.post(
      `${org}/expenses/:expenseId/comments`,
      {
        schema: {
          operationId: 'commentOnExpense',
          summary: 'Comment on an expense',
          description: 'For members who can see the expense. Does not change its state.',
          tags,
          params: ExpenseParams,
          body: CommentBody,
          response: answers(201, component(ExpenseSchema), [400, 401, 403, 404]),
        },
      },
      async (request, reply) => {
        const { expenseId } = request.params
        const input = { actor: memberOf(request), expenseId, body: request.body.body }
        return reply.code(201).send(await commentOnExpense(ctx, input))
      },
    )

    app.post(
      `${org}/expenses/:expenseId/cancel`,
      {
        schema: {
          operationId: 'cancelExpense',
          summary: 'Cancel an expense',
          description: 'For the submitter. Answers 409 while its payment may still be executed.',
          'x-extension': true,
          tags,
          params: ExpenseParams,
          body: VersionBody,
          response: answers(200, component(ExpenseSchema), [400, 401, 403, 409]),
        },
      },
      async (request) => {
        const { expenseId } = request.params
        const { expectedVersion } = request.body
        return cancelExpense(ctx, { actor: memberOf(request), expenseId, expectedVersion })
      },
    )
  }
