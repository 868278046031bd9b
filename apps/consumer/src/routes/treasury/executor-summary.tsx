import type { DataOf } from '@countersign/client/operation-types.ts'
import { Address } from '@countersign/ui/address.tsx'
import { Mark } from '@countersign/ui/mark.tsx'
import { Card, Section } from '@countersign/ui/page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { rotationOf } from './executor-rotation.ts'
import { GasStanding } from './gas-amount.tsx'
import { ExecutorLink } from './treasury-link.tsx'

/** The executor in one line, on the way to the page where it is replaced. */
export function ExecutorSummary({ executor }: { executor: DataOf<'getExecutor'> }) {
  const { t } = useLingui()
  const { inUse, next, making } = rotationOf(executor)
  if (!inUse) return null
  return (
    <Section
      title={<Trans>Executor</Trans>}
      note={next || making ? <Mark kind="waiting">{t`Being replaced`}</Mark> : undefined}
      actions={
        <ExecutorLink look={{ size: 'small' }}>
          <Trans>Open the executor</Trans>
        </ExecutorLink>
      }
    >
      <Card>
        <Address address={inUse.address} />
        <GasStanding executor={inUse} />
      </Card>
    </Section>
  )
}
