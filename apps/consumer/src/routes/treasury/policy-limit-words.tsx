import { durationWords } from '@countersign/ui/duration.ts'
import { Money } from '@countersign/ui/money.tsx'
import { useRegion } from '@countersign/ui/use-region.ts'
import { Plural, Trans } from '@lingui/react/macro'
import type { Tier } from './policy-terms.ts'

export function Duration({ seconds }: { seconds: number }) {
  const region = useRegion()
  return <span className="figures">{durationWords(seconds, region)}</span>
}

/** How many people must sign which amounts. */
export const TierLines = ({ tiers }: { tiers: readonly Tier[] }) => (
  <span className="flex flex-col">
    <Trans>one approver</Trans>
    {tiers.map(({ above, approvals }) => (
      <span key={above}>
        <Plural value={approvals} one="# approver" other="# different approvers" />{' '}
        <Trans>
          above <Money baseUnits={above} />
        </Trans>
      </span>
    ))}
  </span>
)
