import { ReadView } from '@countersign/app-kit/shell/read-view.tsx'
import type { RequestFailed } from '@countersign/client/result.ts'
import { Hash } from '@countersign/ui/address.tsx'
import { Card, Section } from '@countersign/ui/page.tsx'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import type { UseQueryResult } from '@tanstack/react-query'
import { Check, OctagonX, TriangleAlert } from 'lucide-react'
import type { Report } from '../expense-types.ts'

type CheckRow = Report['output']['checks'][number]

const LOOKS = {
  pass: { icon: Check, look: 'text-ok' },
  warn: { icon: TriangleAlert, look: 'text-warn' },
  fail: { icon: OctagonX, look: 'text-bad' },
} as const

/** What the rules found. Warnings and failures in sight, the rest one click away. */
export function AnalysisCard({ report }: { report: UseQueryResult<Report, RequestFailed> }) {
  return (
    <Section title={<Trans>Analysis</Trans>}>
      <Card>
        <ReadView of={report} lines={2}>
          {(found) => <Findings report={found} />}
        </ReadView>
      </Card>
    </Section>
  )
}

function Findings({ report }: { report: Report }) {
  const { t } = useLingui()
  const { riskScore, recommendation, checks, summary } = report.output
  const of = (outcome: CheckRow['outcome']) => checks.filter((check) => check.outcome === outcome)
  const noted = [...of('fail'), ...of('warn')]
  const passed = of('pass')
  const words = {
    approve: t`recommends approving`,
    review: t`recommends a decision by a person`,
    reject: t`recommends rejecting`,
  }
  return (
    <div className="flex flex-col gap-3">
      <p>
        <span className="figures font-semibold">
          <Trans>Risk {riskScore} of 100</Trans>
        </span>{' '}
        · {words[recommendation]}
      </p>
      {noted.length > 0 && <Checks checks={noted} />}
      <details className="group">
        <summary className="cursor-pointer text-accent text-sm">
          <Plural value={passed.length} one="# check passed" other="# checks passed" />
        </summary>
        <div className="mt-3 flex flex-col gap-3">
          <Checks checks={passed} />
          <p className="break-words text-muted text-sm">
            <bdi>{summary}</bdi>
          </p>
          <div className="text-sm">
            <span className="text-muted">
              <Trans>Hash of this report, which approvers sign</Trans>
            </span>
            <Hash hash={report.reportHash} label={t`Copy the hash of the report`} />
          </div>
        </div>
      </details>
    </div>
  )
}

const Checks = ({ checks }: { checks: readonly CheckRow[] }) => {
  const { t } = useLingui()
  const outcomes = { pass: t`Passed`, warn: t`Warning`, fail: t`Failed` }
  return (
    <ul className="flex flex-col gap-2">
      {checks.map(({ id, outcome, detail }) => {
        const { icon: Icon, look } = LOOKS[outcome]
        return (
          <li key={id} className="flex gap-2 text-sm">
            <Icon className={`mt-0.5 size-4 shrink-0 ${look}`} aria-hidden="true" />
            <span>
              <span className="sr-only">{outcomes[outcome]}: </span>
              <bdi>{detail}</bdi>
            </span>
          </li>
        )
      })}
    </ul>
  )
}
