import type { DataOf } from '@countersign/client/operation-types.ts'
import { classes } from '@countersign/ui/classes.ts'
import { Moment } from '@countersign/ui/moment.tsx'
import { Section } from '@countersign/ui/page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { Lock } from 'lucide-react'
import { CaseMark } from '../../words/case-marks.tsx'
import { conversationOf, type Said } from './conversation.ts'

const LOOKS = {
  member: 'self-start border-line bg-surface',
  support: 'self-end border-transparent bg-accent-soft',
  internal: 'self-end border-line border-dashed bg-sunken',
} as const

type Props = { supportCase: DataOf<'getAdminSupportCase'> }

export function Conversation({ supportCase }: Props) {
  const { t } = useLingui()
  const said = conversationOf(supportCase)
  return (
    <Section title={<Trans>Conversation</Trans>}>
      {said.length === 0 && (
        <p className="text-muted">
          <Trans>Nothing was written yet, apart from the subject.</Trans>
        </p>
      )}
      <ol aria-label={t`Conversation`} className="flex flex-col gap-3">
        {said.map((one) => (
          <li
            key={one.id}
            className={classes('max-w-[92%] rounded-lg border px-4 py-3', LOOKS[one.by])}
          >
            <p className="flex flex-wrap items-baseline justify-between gap-x-4 text-sm">
              <Author said={one} />
              <span className="text-muted">
                <Moment at={one.at} />
              </span>
            </p>
            <p className="mt-1 whitespace-pre-wrap break-words">
              <bdi>{one.body}</bdi>
            </p>
            {one.statusAfter && (
              <p className="mt-2">
                <CaseMark status={one.statusAfter} />
              </p>
            )}
          </li>
        ))}
      </ol>
    </Section>
  )
}

function Author({ said }: { said: Said }) {
  const { t } = useLingui()
  if (said.by === 'member') return <bdi className="font-medium">{said.name ?? t`A member`}</bdi>
  if (said.by === 'support') {
    return (
      <span className="font-medium">
        <Trans>Support, to the customer</Trans>
      </span>
    )
  }
  return (
    <span className="flex items-center gap-1.5 font-medium">
      <Lock className="size-3.5" aria-hidden="true" />
      <Trans>Internal note</Trans>
    </span>
  )
}
