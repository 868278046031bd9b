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

type AnalysisContext = Pick<Context, 'db' | 'clock' | 'ids'>

export const analysisRoutes =
  (ctx: AnalysisContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.post(
      `${org}/expenses/:expenseId/submit`,
      {
        schema: {
          operationId: 'submitExpense',
          summary: 'Submit an expense',
          description:
            'For the submitter. Queues the current revision for analysis; repeating the request ' +
            'meanwhile returns the same run. Poll `GET …/expenses/{expenseId}`, or follow the ' +
            'live stream. In automatic mode, with a clean report and within the limits, it is ' +
            'paid without a signature. Otherwise it goes to `needs_review`, where a reviewer ' +
            'calls `POST …/expenses/{expenseId}/review`.',
          tags: ['expenses'],
          params: ExpenseParams,
          body: VersionBody,
          response: answers(202, SubmittedSchema, [400, 401, 403, 409], {
            forbidden:
              'The caller is not an active member or not the submitter, or there is no such ' +
              'expense.',
            version_conflict:
              '`expectedVersion` is not the current revision. Read the expense again.',
            state_conflict: 'The expense is neither a draft nor blocked with `analysis_failed`.',
          }),
        },
      },
      async (request, reply) => {
        const { expenseId } = request.params
        const input = { actor: memberOf(request), expenseId, ...request.body }
        return reply.code(202).send(await submitExpense(ctx, input))
      },
    )

    await reportRoutes(ctx)(app, {})
  }

const reportRoutes =
  (ctx: AnalysisContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      `${org}/reports/:reportId`,
      {
        schema: {
          operationId: 'getReport',
          summary: 'Get a report',
          description:
            'For members who can see the expense. The result of analysing a revision: checks, a ' +
            'score and a recommendation. `currentReportId` of an expense names the report that ' +
            'counts; reports never change.',
          tags: ['expenses'],
          params: ReportParams,
          response: answers(200, component(ReportSchema), [401, 403, 404], {
            not_found: 'There is no such report, or the caller cannot see its expense.',
          }),
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
            'which may be an earlier one of the expense, to compare it with the current one.',
          tags: ['expenses'],
          params: RevisionReportParams,
          response: answers(200, component(ReportSchema), [400, 401, 403, 404], {
            not_found:
              'The revision was not analysed or does not exist, or the caller cannot see the ' +
              'expense.',
          }),
          'x-extension': true,
        },
      },
      async (request) => {
        const { expenseId, revision } = request.params
        return readRevisionReport(ctx, { member: memberOf(request), expenseId, revision })
      },
    )
  }
