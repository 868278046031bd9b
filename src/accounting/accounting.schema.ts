import { periodQuery } from '#platform/period.ts'
import { Type } from '#platform/schema.ts'
import { added, BaseUnits, described, NonNeg, nullable, oneOf } from '#platform/values.ts'
import { exportFormats } from './export-format.ts'
import { spendingGroups } from './spending.store.ts'

const exportQuery = (what: string) =>
  Type.Object({
    ...periodQuery(what),
    format: Type.Optional(
      added(
        oneOf(exportFormats, { default: 'plain' }),
        'plain has every column; xero and quickbooks have those that each system imports',
      ),
    ),
  })

export const PaymentExportQuery = exportQuery('Only payments confirmed')
export const ExpenseExportQuery = exportQuery('Only expenses created')

export const CsvSchema = {
  description: 'RFC 4180, UTF-8, with a header line; docs/EXPORTS.md describes the columns',
  content: {
    'text/csv': { schema: Type.String({ description: 'One line per record, streamed' }) },
  },
}

export const SpendingQuery = Type.Object({
  ...periodQuery('Only payments confirmed'),
  by: Type.Optional(
    added(oneOf(spendingGroups, { default: 'month' }), 'What the payments are grouped by'),
  ),
})

const GroupSchema = Type.Object(
  {
    key: nullable(
      Type.String({
        description:
          'YYYY-MM, the id of the recipient or the vault, the account id of the submitter, or ' +
          'the code of the category; null for payments without a category',
      }),
    ),
    label: nullable(Type.String({ description: 'Name to show for the key, if there is one' })),
    amountBaseUnits: described(BaseUnits, 'The sum of the payments of the group'),
    count: described(NonNeg, 'How many payments the group has'),
  },
  { title: 'SpendingGroup' },
)

export const SpendingSchema = Type.Object(
  {
    groups: Type.Array(GroupSchema, {
      description: 'Months in order, other groups largest first; at most 1,000',
    }),
    total: added(BaseUnits, 'Total of all payments in the period, in base units'),
    count: described(NonNeg, 'How many payments the period has, in all groups'),
  },
  { title: 'Spending' },
)
