import { useRead } from '@countersign/app-kit/data/queries.ts'
import { ReadView } from '@countersign/app-kit/shell/read-view.tsx'
import { Bars } from '@countersign/ui/bars.tsx'
import { SelectField } from '@countersign/ui/field.tsx'
import { Money, useAmountFormat } from '@countersign/ui/money.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Card, Empty, Page, Section } from '@countersign/ui/page.tsx'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { ChartColumn } from 'lucide-react'
import { useState } from 'react'
import { isOwnerOrManager, useOrganization } from '../../data/organization.tsx'
import { PERIODS, type Period, startOf } from '../../data/periods.ts'
import { PaymentsLink } from '../../shell/payments-link.tsx'
import { MonthColumns } from './month-columns.tsx'

type By = 'category' | 'recipient' | 'member' | 'vault'

export function SpendingPage() {
  const { t } = useLingui()
  const organization = useOrganization()
  const [period, setPeriod] = useState<Period>('12-months')
  if (!isOwnerOrManager(organization)) {
    return (
      <Page title={<Trans>Spending</Trans>}>
        <Notice tone="info" title={<Trans>Only owners and managers see the totals</Trans>}>
          <Trans>Your own payments are under Payments.</Trans>
        </Notice>
      </Page>
    )
  }
  const names: Record<Period, string> = {
    '3-months': t`3 months`,
    '6-months': t`6 months`,
    '12-months': t`12 months`,
    year: t`This year`,
    all: t`Everything`,
  }
  return (
    <Page
      title={<Trans>Spending</Trans>}
      lead={<Trans>Confirmed payments, by the day on which they became final (UTC).</Trans>}
      actions={
        <SelectField
          label={<Trans>Period</Trans>}
          isLabelHidden
          value={period}
          onChange={(event) => setPeriod(event.target.value as Period)}
          options={PERIODS.map((value) => ({ value, label: names[value] }))}
        />
      }
    >
      <Charts from={startOf(period, new Date())} />
    </Page>
  )
}

function Charts({ from }: { from: string | undefined }) {
  const { id: organizationId } = useOrganization()
  const spending = useRead('getSpending', {
    path: { organizationId },
    query: { by: 'month', ...(from && { from }) },
  })
  return (
    <ReadView of={spending} lines={6}>
      {({ groups, total, count }) =>
        count === 0 ? (
          <Nothing />
        ) : (
          <>
            <Card>
              <p className="text-muted text-sm">
                <Plural value={count} one="# payment" other="# payments" />
              </p>
              <p className="mb-6 text-3xl">
                <Money baseUnits={total} isStrong />
              </p>
              <MonthColumns groups={groups} from={from} />
            </Card>
            <div className="mt-8 grid gap-x-6 gap-y-8 lg:grid-cols-2">
              {(['category', 'recipient', 'member', 'vault'] as const).map((by) => (
                <Groups key={by} by={by} from={from} />
              ))}
            </div>
          </>
        )
      }
    </ReadView>
  )
}

const SHOWN = 8

function Groups({ by, from }: { by: By; from: string | undefined }) {
  const { t } = useLingui()
  const format = useAmountFormat()
  const { id: organizationId } = useOrganization()
  const spending = useRead('getSpending', {
    path: { organizationId },
    query: { by, ...(from && { from }) },
  })
  const titles = {
    category: t`By category`,
    recipient: t`By recipient`,
    member: t`By person who asked`,
    vault: t`By vault`,
  }
  const unnamed = {
    category: t`Without a category`,
    recipient: t`Unknown`,
    member: t`Unknown`,
    vault: t`Unknown`,
  }
  return (
    <div>
      <Section title={titles[by]}>
        <Card>
          <ReadView of={spending} lines={3}>
            {({ groups }) => {
              const rest = groups
                .slice(SHOWN)
                .reduce((sum, { amountBaseUnits }) => sum + BigInt(amountBaseUnits), 0n)
              const bars = groups.slice(0, SHOWN).map(({ key, label, amountBaseUnits }) => ({
                id: key ?? '',
                label: label ?? key ?? unnamed[by],
                value: BigInt(amountBaseUnits),
                text: format(amountBaseUnits),
              }))
              const others = { id: 'rest', label: t`All others`, value: rest, text: format(rest) }
              return <Bars label={titles[by]} bars={rest > 0n ? [...bars, others] : bars} />
            }}
          </ReadView>
        </Card>
      </Section>
    </div>
  )
}

function Nothing() {
  return (
    <Empty
      icon={<ChartColumn aria-hidden="true" />}
      title={<Trans>No payments in this period</Trans>}
      action={<PaymentsLink />}
    >
      <Trans>Totals appear here when a payment is final on the chain.</Trans>
    </Empty>
  )
}
