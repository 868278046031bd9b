import { Card } from '@countersign/ui/page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { CircleAlert, TriangleAlert } from 'lucide-react'
import type { FileRow, RowProblem } from './recipient-file.ts'

function useProblemText(): (problem: RowProblem) => string {
  const { t } = useLingui()
  return (problem) => {
    switch (problem.kind) {
      case 'no_name':
        return t`The name is missing.`
      case 'long_name':
        return t`The name is longer than 100 characters.`
      case 'bad_name':
        return t`The name has characters that cannot be seen.`
      case 'no_address':
        return t`The address is missing.`
      case 'bad_address':
        return t`This is not an address.`
      case 'bad_checksum':
        return t`The capital letters do not match: a character may be wrong.`
      case 'repeated':
        return t`Line ${problem.line} has the same address.`
      case 'known':
        return t`${problem.label} already has this address.`
      case 'refused':
        return problem.message || t`The service refuses this row.`
    }
  }
}

/** Every row with its whole address: this is where someone decides. */
export function ImportPreview({ rows }: { rows: readonly FileRow[] }) {
  const { t } = useLingui()
  const textOf = useProblemText()
  return (
    <Card isFlush>
      <ul aria-label={t`Rows of the list`} className="divide-y divide-line">
        {rows.map(({ line, label, address, problems, lookAlikes }) => (
          <li key={line} className="px-4 py-2.5 sm:px-5">
            <div className="grid gap-x-4 gap-y-0.5 sm:grid-cols-[2.5rem_minmax(8rem,1fr)_2fr]">
              <span className="figures text-muted text-sm">
                <span className="sr-only">
                  <Trans>Line</Trans>{' '}
                </span>
                {line}
              </span>
              <bdi className="truncate font-medium">{label}</bdi>
              <span className="break-all font-mono text-sm">{address}</span>
            </div>
            {problems.map((problem) => (
              <p key={problem.kind} className="mt-1 flex gap-2 text-bad text-sm">
                <CircleAlert className="mt-0.5 size-4 shrink-0" aria-hidden="true" />
                {textOf(problem)}
              </p>
            ))}
            {lookAlikes.map((other) => (
              <p key={other.address} className="mt-1 flex gap-2 text-sm text-warn">
                <TriangleAlert className="mt-0.5 size-4 shrink-0" aria-hidden="true" />
                <span className="min-w-0">
                  <Trans>
                    Looks like <bdi>{other.label}</bdi>, with another middle. Compare:
                  </Trans>{' '}
                  <span className="break-all font-mono">{other.address}</span>
                </span>
              </p>
            ))}
          </li>
        ))}
      </ul>
    </Card>
  )
}
