import { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import { memberOf } from '#access/guard.ts'
import type { Context } from '#context.ts'
import { answers } from '#http/openapi.ts'
import type { RateLimits } from '#http/rate-limits.ts'
import { OrganizationParams } from '#organizations/organizations.schema.ts'
import { readPeriod } from '#platform/period.ts'
import {
  CsvSchema,
  ExpenseExportQuery,
  PaymentExportQuery,
  SpendingQuery,
  SpendingSchema,
} from './accounting.schema.ts'
import { exportExpenses, exportPayments } from './export-records.ts'
import { readSpending } from './read-spending.ts'

const org = '/v1/consumer/organizations/:organizationId'
const tags = ['accounting']
const periodErrors = {
  validation_failed: 'A parameter does not match this page, or `from` is not before `to`.',
} as const
const csvAnswers = answers(200, CsvSchema as never, [400, 401, 403], periodErrors)

type Exported = { name: string; from?: string; to?: string; lines: AsyncGenerator<string> }

function sendCsv(reply: FastifyReply, { name, from, to, lines }: Exported): FastifyReply {
  const days = [from, to].filter((day) => day !== undefined).map((day) => day.slice(0, 10))
  return reply
    .header('content-disposition', `attachment; filename="${[name, ...days].join('_')}.csv"`)
    .header('cache-control', 'no-store')
    .type('text/csv; charset=utf-8')
    .send(Readable.from(lines, { highWaterMark: 1 }))
}

type AccountingContext = Pick<Context, 'db' | 'clock' | 'ids'>

export const accountingRoutes =
  (ctx: AccountingContext, limits: Pick<RateLimits, 'countExport'>): FastifyPluginAsyncTypebox =>
  async (app) => {
    await exportRoutes(ctx, limits)(app, {})
    await spendingRoutes(ctx)(app, {})
  }

const exportRoutes =
  (ctx: AccountingContext, limits: Pick<RateLimits, 'countExport'>): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      `${org}/exports/payments.csv`,
      {
        preHandler: limits.countExport,
        schema: {
          operationId: 'exportPayments',
          summary: 'Export payments as CSV',
          description:
            'For owners and managers. One line per confirmed payment, oldest first, streamed as ' +
            'a download. Without `to` it ends with the payments confirmed until now. The export ' +
            'is recorded in the audit trail before its first line is sent. At most ten exports a ' +
            'minute.',
          tags,
          params: OrganizationParams,
          querystring: PaymentExportQuery,
          response: csvAnswers,
          'x-extension': true,
        },
      },
      async (request, reply) => {
        const { format = 'plain', ...days } = request.query
        const period = readPeriod(days)
        const lines = await exportPayments(ctx, { actor: memberOf(request), period, format })
        return sendCsv(reply, { name: 'payments', ...days, lines })
      },
    )

    app.get(
      `${org}/exports/expenses.csv`,
      {
        preHandler: limits.countExport,
        schema: {
          operationId: 'exportExpenses',
          summary: 'Export expenses as CSV',
          description:
            'For owners and managers. One line per expense, oldest first, streamed as a ' +
            'download. The formats `xero` and `quickbooks` contain bills, so they leave out ' +
            'drafts and rejected or cancelled expenses. The export is recorded in the audit ' +
            'trail before its first line is sent. At most ten exports a minute.',
          tags,
          params: OrganizationParams,
          querystring: ExpenseExportQuery,
          response: csvAnswers,
          'x-extension': true,
        },
      },
      async (request, reply) => {
        const { format = 'plain', ...days } = request.query
        const period = readPeriod(days)
        const lines = await exportExpenses(ctx, { actor: memberOf(request), period, format })
        return sendCsv(reply, { name: 'expenses', ...days, lines })
      },
    )
  }

const spendingRoutes =
  (ctx: AccountingContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      `${org}/spending`,
      {
        schema: {
          operationId: 'getSpending',
          summary: 'Get spending totals',
          description:
            'For owners and managers. Totals of confirmed payments by month, recipient, ' +
            'category, member or vault, for charts. A payment counts in the period in which it ' +
            'was confirmed, in UTC. `GET …/exports/payments.csv` has the payments themselves.',
          tags,
          params: OrganizationParams,
          querystring: SpendingQuery,
          response: answers(200, SpendingSchema, [400, 401, 403], periodErrors),
          'x-extension': true,
        },
      },
      async (request) => {
        const { by = 'month', ...days } = request.query
        return readSpending(ctx, { member: memberOf(request), period: readPeriod(days), by })
      },
    )
  }
