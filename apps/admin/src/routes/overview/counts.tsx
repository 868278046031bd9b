import { useRead } from '@countersign/app-kit/data/queries.ts'
import { ReadView } from '@countersign/app-kit/shell/read-view.tsx'
import { classes } from '@countersign/ui/classes.ts'
import { Section } from '@countersign/ui/page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { ReadAgain } from '../../shell/read-again.tsx'

type Count = { id: string; label: string; value: number; isBad: boolean; link?: ReactNode }

/** Totals over all organizations, with the list behind each. */
export function Counts() {
  const { t, i18n } = useLingui()
  const overview = useRead('getAdminOverview', {})
  const format = new Intl.NumberFormat(i18n.locale)
  const linkStyle = 'text-accent text-sm underline-offset-4 hover:underline'
  return (
    <Section title={<Trans>All organizations</Trans>} actions={<ReadAgain of={overview} />}>
      <ReadView of={overview} lines={2}>
        {(data) => {
          const counts: Count[] = [
            {
              id: 'payments',
              label: t`Payments failed or blocked`,
              value: data.failedPayments,
              isBad: true,
              link: (
                <Link to="/failures" className={linkStyle}>
                  <Trans>See failures</Trans>
                </Link>
              ),
            },
            {
              id: 'unrecorded',
              label: t`Unrecorded payments`,
              value: data.unrecordedPayments,
              isBad: true,
              link: (
                <Link to="/unrecorded-payments" className={linkStyle}>
                  <Trans>See them</Trans>
                </Link>
              ),
            },
            {
              id: 'reconciling',
              label: t`Payments being checked`,
              value: data.reconcilingPayments,
              isBad: false,
            },
            {
              id: 'cases',
              label: t`Cases not resolved`,
              value: data.openSupportCases,
              isBad: false,
              link: (
                <Link to="/cases" className={linkStyle}>
                  <Trans>See cases</Trans>
                </Link>
              ),
            },
            {
              id: 'analyses',
              label: t`Analyses running`,
              value: data.activeAnalysisRuns,
              isBad: false,
            },
            {
              id: 'organizations',
              label: t`Organizations`,
              value: data.organizations,
              isBad: false,
              link: (
                <Link to="/organizations" className={linkStyle}>
                  <Trans>Search</Trans>
                </Link>
              ),
            },
          ]
          return (
            <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-lg border border-line bg-line sm:grid-cols-3 xl:grid-cols-6">
              {counts.map(({ id, label, value, isBad, link }) => (
                <div key={id} className="flex flex-col bg-surface px-4 py-3">
                  <dt className="text-muted text-sm">{label}</dt>
                  <dd
                    className={classes(
                      'figures mt-auto font-semibold text-2xl',
                      isBad && value > 0 && 'text-bad',
                    )}
                  >
                    {format.format(value)}
                  </dd>
                  <dd className="min-h-6">{link}</dd>
                </div>
              ))}
            </dl>
          )
        }}
      </ReadView>
    </Section>
  )
}
