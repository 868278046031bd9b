import { durationWords } from '@countersign/ui/duration.ts'
import { Mark } from '@countersign/ui/mark.tsx'
import { Moment } from '@countersign/ui/moment.tsx'
import { Money } from '@countersign/ui/money.tsx'
import { Fact } from '@countersign/ui/page.tsx'
import { useRegion } from '@countersign/ui/use-region.ts'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import type { OrganizationDetail } from '../../data/organization-detail.ts'

type Vault = OrganizationDetail['treasuryVaults'][number]
type Terms = OrganizationDetail['vaultTerms'][number]

/** How the vault limits payments, and what waits in it. */
export function VaultTerms({ vault, terms }: { vault: Vault; terms: Terms | undefined }) {
  return (
    <>
      <Fact term={<Trans>Change delay</Trans>}>
        <Delay seconds={vault.changeDelaySeconds} />
      </Fact>
      {terms && (
        <>
          <Fact term={<Trans>Policy</Trans>}>
            <Policy terms={terms} />
          </Fact>
          {terms.policy && <Limits policy={terms.policy} />}
          <Fact term={<Trans>Recipients</Trans>}>
            <Recipients terms={terms} />
          </Fact>
          <Fact term={<Trans>Proposal</Trans>}>
            <Proposal terms={terms} />
          </Fact>
        </>
      )}
    </>
  )
}

function Delay({ seconds }: { seconds: number }) {
  const region = useRegion()
  return seconds === 0 ? (
    <Trans>none: policies and recipients take effect at once</Trans>
  ) : (
    durationWords(seconds, region)
  )
}

function Policy({ terms: { policy, pauseNumber } }: { terms: Terms }) {
  const { t } = useLingui()
  if (!policy) return <Trans>none</Trans>
  return (
    <span className="flex flex-wrap items-center gap-x-3">
      <span>
        <Trans>
          version {policy.version}, until <Moment at={policy.expiresAt} style="date" />
        </Trans>
      </span>
      {policy.paused && <Mark kind="blocked">{t`Paused`}</Mark>}
      {pauseNumber > 0 && (
        <span className="text-muted text-sm">
          <Plural value={pauseNumber} one="paused once so far" other="paused # times so far" />
        </span>
      )}
    </span>
  )
}

function Limits({ policy }: { policy: NonNullable<Terms['policy']> }) {
  const region = useRegion()
  const { periodSeconds, periodCap, automaticPeriodCap, tiers } = policy
  return (
    <>
      <Fact term={<Trans>Period</Trans>}>
        {periodSeconds === null ? (
          <Trans>none: only the caps per payment and in total count</Trans>
        ) : (
          <Trans>
            <Money baseUnits={periodCap ?? '0'} /> in {durationWords(periodSeconds, region)}, of
            which <Money baseUnits={automaticPeriodCap ?? '0'} /> automatically
          </Trans>
        )}
      </Fact>
      <Fact term={<Trans>Signatures</Trans>}>
        {tiers.length === 0 ? (
          <Trans>one for every amount</Trans>
        ) : (
          <ul>
            {tiers.map(({ above, approvals }) => (
              <li key={above}>
                <Trans>
                  {approvals} above <Money baseUnits={above} />
                </Trans>
              </li>
            ))}
          </ul>
        )}
      </Fact>
    </>
  )
}

function Recipients({ terms }: { terms: Terms }) {
  const { recipientCount, pendingRecipientCount, blockedRecipientCount } = terms
  return (
    <span className="figures flex flex-wrap gap-x-3">
      <Plural value={recipientCount} _0="none listed" one="# listed" other="# listed" />
      {pendingRecipientCount > 0 && (
        <Plural
          value={pendingRecipientCount}
          one="# can be paid later"
          other="# can be paid later"
        />
      )}
      {blockedRecipientCount > 0 && (
        <span className="text-bad">
          <Plural value={blockedRecipientCount} one="# blocked" other="# blocked" />
        </span>
      )}
    </span>
  )
}

function Proposal({ terms: { proposal } }: { terms: Terms }) {
  const { t } = useLingui()
  if (!proposal) return <Trans>none waits</Trans>
  return (
    <>
      <span className="flex flex-wrap items-center gap-x-3">
        <span>
          <Trans>
            takes effect from <Moment at={proposal.activatesAt} style="full" /> on, void from{' '}
            <Moment at={proposal.expiresAt} style="full" /> on
          </Trans>
        </span>
        {!proposal.prepared && <Mark kind="warning">{t`Not prepared here`}</Mark>}
      </span>
      <span className="block break-all font-mono text-muted text-sm">{proposal.id}</span>
    </>
  )
}
