import type { DataOf } from '@countersign/client/operation-types.ts'
import { Columns } from '@countersign/ui/columns.tsx'
import { useAmountFormat } from '@countersign/ui/money.tsx'
import { useRegion } from '@countersign/ui/use-region.ts'
import { useLingui } from '@lingui/react/macro'
import { monthsBetween } from '../../data/periods.ts'

type Props = { groups: DataOf<'getSpending'>['groups']; from: string | undefined }

const MONTH = 7
/** More columns than this would be too thin to read. */
const SHOWN = 12

export function MonthColumns({ groups, from }: Props) {
  const { t } = useLingui()
  const region = useRegion()
  const format = useAmountFormat()
  const name = new Intl.DateTimeFormat(region, { month: 'short', timeZone: 'UTC' })
  const sums = new Map(groups.map(({ key, amountBaseUnits }) => [key ?? '', amountBaseUnits]))
  const thisMonth = new Date().toISOString().slice(0, MONTH)
  const first = from?.slice(0, MONTH) ?? groups[0]?.key ?? thisMonth
  const columns = monthsBetween(first, thisMonth)
    .slice(-SHOWN)
    .map((month) => {
      const amount = sums.get(month) ?? '0'
      return {
        id: month,
        label: name.format(new Date(`${month}-01T00:00:00Z`)),
        value: BigInt(amount),
        text: amount === '0' ? '' : format(amount),
      }
    })
  return <Columns columns={columns} label={t`Spending by month`} />
}
