import { Card } from '@countersign/ui/page.tsx'
import { useLingui } from '@lingui/react'
import { Trans, useLingui as useTexts } from '@lingui/react/macro'
import { Check as CheckIcon, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { CHECK_WORDS } from './check-words.ts'
import type { Check } from './checks.ts'

const isByChain = ({ id }: Check): boolean => id.startsWith('chain_')

export const CheckList = ({ checks }: { checks: readonly Check[] }) => (
  <Card>
    <div className="flex flex-col gap-5">
      <Group
        title={<Trans>Checked here, in this page</Trans>}
        note={<Trans>not taken on trust</Trans>}
        checks={checks.filter((check) => !isByChain(check))}
      />
      <Group
        title={<Trans>Read from the vault</Trans>}
        note={<Trans>through your wallet, not through us</Trans>}
        checks={checks.filter(isByChain)}
      />
    </div>
  </Card>
)

type GroupProps = { title: ReactNode; note: ReactNode; checks: readonly Check[] }

const Group = ({ title, note, checks }: GroupProps) =>
  checks.length > 0 && (
    <section>
      <h2 className="font-semibold">
        {title} <span className="font-normal text-muted text-sm">{note}</span>
      </h2>
      <ul className="mt-2 flex flex-col gap-2">
        {checks.map((check) => (
          <Row key={check.id} check={check} />
        ))}
      </ul>
    </section>
  )

function Row({ check: { id, holds, findings } }: { check: Check }) {
  const { i18n } = useLingui()
  const { t } = useTexts()
  const failed = findings.filter((finding) => !finding.holds)
  const Icon = holds ? CheckIcon : X
  return (
    <li className="flex gap-2.5">
      <Icon
        className={holds ? 'mt-0.5 size-5 shrink-0 text-ok' : 'mt-0.5 size-5 shrink-0 text-bad'}
        role="img"
        aria-label={holds ? t`Holds` : t`Does not hold`}
      />
      <div className="min-w-0">
        <span className={holds ? '' : 'font-medium text-bad'}>{i18n._(CHECK_WORDS[id])}</span>
        {!holds && findings.length === 0 && (
          <p className="text-muted text-sm">
            <Trans>Not checked any more.</Trans>
          </p>
        )}
        {failed.map(({ link, detail }) => (
          <p key={link} className="break-words font-mono text-sm">
            <bdi>
              {link}: {detail}
            </bdi>
          </p>
        ))}
      </div>
    </li>
  )
}
