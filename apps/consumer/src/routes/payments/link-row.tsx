import { inFours } from '@countersign/ui/address.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { Check, Clock, ScrollText, X } from 'lucide-react'
import type { ReactNode } from 'react'
import type { EvidenceLink } from './links.ts'

const ICONS = {
  holds: { icon: Check, look: 'text-ok' },
  fails: { icon: X, look: 'text-bad' },
  pending: { icon: Clock, look: 'text-muted' },
  recorded: { icon: ScrollText, look: 'text-muted' },
} as const

type Props = {
  link: EvidenceLink
  number: number
  title: string
  /** What was computed: a hash or a digest. */
  hash?: string | undefined
  children: ReactNode
}

export function LinkRow({ link: { status, findings }, number, title, hash, children }: Props) {
  const { t } = useLingui()
  const { icon: Icon, look } = ICONS[status]
  const words = {
    holds: t`computed here, holds`,
    fails: t`does not hold`,
    pending: t`not yet`,
    recorded: t`in the audit trail`,
  }
  const failed = findings.filter(({ holds }) => !holds)
  return (
    <li className="flex break-inside-avoid gap-3 px-4 py-3 sm:px-5 print:py-1">
      <span className="figures w-4 shrink-0 text-muted">{number}</span>
      <div className="min-w-0 flex-1">
        <div className="flex flex-wrap items-center justify-between gap-x-3">
          <h3 className="font-medium">{title}</h3>
          <span className={`inline-flex items-center gap-1.5 text-sm ${look}`}>
            <Icon className="size-4" aria-hidden="true" />
            {words[status]}
          </span>
        </div>
        <div className="break-words text-sm">{children}</div>
        {hash && (
          <p className="mt-1 break-words font-mono text-muted text-xs">
            <span className="sr-only">{hash}</span>
            <span aria-hidden="true">0x {inFours(hash).join(' ')}</span>
          </p>
        )}
        {status !== 'pending' &&
          failed.map((finding) => (
            <p
              key={finding.link + finding.detail}
              className="break-words font-mono text-bad text-sm"
            >
              {finding.link}: {finding.detail}
            </p>
          ))}
        {status === 'fails' && findings.length === 0 && (
          <p className="text-bad text-sm">
            <Trans>It could not be checked.</Trans>
          </p>
        )}
      </div>
    </li>
  )
}
