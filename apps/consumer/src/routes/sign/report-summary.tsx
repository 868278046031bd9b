import type { ShownApproval } from '@countersign/client/approvals.ts'
import { Mark } from '@countersign/ui/mark.tsx'
import { Card } from '@countersign/ui/page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'

/** What the analysis found, so that nobody signs without having read it. */
export function ReportSummary({ report: { output } }: Pick<ShownApproval, 'report'>) {
  const { t } = useLingui()
  const notPassed = output.checks.filter(({ outcome }) => outcome !== 'pass')
  const advice = {
    approve: { kind: 'done', word: t`recommends approving` },
    review: { kind: 'warning', word: t`recommends a closer look` },
    reject: { kind: 'blocked', word: t`recommends rejecting` },
  } as const
  const { kind, word } = advice[output.recommendation]
  const passed = output.checks.length - notPassed.length
  return (
    <Card>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 className="font-semibold">
          <Trans>Analysis</Trans>
        </h2>
        <Mark kind={kind}>{word}</Mark>
      </div>
      <p className="mt-1 text-muted text-sm">
        <Trans>
          Risk {output.riskScore} of 100. {passed} of {output.checks.length} checks passed.
        </Trans>
      </p>
      {notPassed.length > 0 && (
        <ul className="mt-2 flex list-disc flex-col gap-1 ps-5 text-sm">
          {notPassed.map(({ id, detail }) => (
            <li key={id}>
              <bdi>{detail}</bdi>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}
