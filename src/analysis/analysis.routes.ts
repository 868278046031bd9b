import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { memberOf } from '#access/guard.ts'
import type { Context } from '#context.ts'
import { ExpenseParams, VersionBody } from '#expenses/expenses.schema.ts'
import { answers, component } from '#http/openapi.ts'
import {
  ReportParams,
  ReportSchema,
  RevisionReportParams,
  SubmittedSchema,
} from './analysis.schema.ts'
import { readReport, readRevisionReport } from './read-report.ts'
import { submitExpense } from './submit-expense.ts'

const org = '/v1/consumer/organizations/:organizationId'

export const analysisRoutes =
  (ctx: Pick<Context, 'db' | 'clock' | 'ids'>): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.post(
      `${org}/expenses/:expenseId/submit`,
      {
        schema: {
          operationId: 'submitExpense',
          summary: 'Submit an expense',
          description:
            'For the submitter. Queues the current revision for analysis. Answers 409 unless the ' +
            'expense is a draft or blocked.',
          tags: ['expenses'],
          params: ExpenseParams,
          body: VersionBody,
          response: answers(202, SubmittedSchema, [400, 401, 403, 409]),
        },
      },
      async (request, reply) => {
        const { expenseId } = request.params
        const input = { actor: memberOf(request), expenseId, ...request.body }
        return reply.code(202).send(await submitExpense(ctx, input))
      },
    )

    app.get(
      `${org}/reports/:reportId`,
      {
        schema: {
          operationId: 'getReport',
          summary: 'Get a report',
          description: 'For members who can see the expense. The result of analysing a revision.',
          tags: ['expenses'],
          params: ReportParams,
          response: answers(200, component(ReportSchema), [401, 403, 404]),
        },
      },
      async (request) => {
        const { reportId } = request.params
        return readReport(ctx, { member: memberOf(request), reportId })
      },
    )

    app.get(
      `${org}/expenses/:expenseId/revisions/:revision/report`,
      {
        schema: {
          operationId: 'getRevisionReport',
          summary: 'Get the report of a revision',
          description:
            'For members who can see the expense. Returns the newest report of the revision, ' +
            'which need not be the current one. Answers 404 if the revision was not analysed.',
          tags: ['expenses'],
          params: RevisionReportParams,
          response: answers(200, component(ReportSchema), [400, 401, 403, 404]),
          'x-extension': true,
        },
      },
      async (request) => {
        const { expenseId, revision } = request.params
        return readRevisionReport(ctx, { member: memberOf(request), expenseId, revision })
      },
    )
  }
