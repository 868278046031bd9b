import type { DataOf } from '@countersign/client/operation-types.ts'
import { Address } from '@countersign/ui/address.tsx'
import { Moment } from '@countersign/ui/moment.tsx'
import { Money } from '@countersign/ui/money.tsx'
import { Fact, Facts } from '@countersign/ui/page.tsx'
import { Plural, Trans } from '@lingui/react/macro'
import { AddressDetails } from './address-details.tsx'
import { GasStanding } from './gas-amount.tsx'
import { Duration, TierLines } from './policy-limit-words.tsx'

type Policy = NonNullable<DataOf<'getVault'>['policy']>
type Executor = DataOf<'getExecutor'>['binding']
type Props = {
  policy: Policy
  executor: Executor | null
  names: ReadonlyMap<string, string>
}

function PeriodWords({
  policy: { periodSeconds, periodCap, automaticPeriodCap },
}: Pick<Props, 'policy'>) {
  if (periodSeconds === null || periodCap === null || automaticPeriodCap === null) {
    return <Trans>no limit: only the other caps apply</Trans>
  }
  return (
    <Trans>
      up to <Money baseUnits={periodCap} isStrong /> in <Duration seconds={periodSeconds} />,{' '}
      <Money baseUnits={automaticPeriodCap} /> of it without a signature
    </Trans>
  )
}

/** The policy in force in plain words. */
export function PolicyWords({ policy, executor, names }: Props) {
  const isOwn = executor?.address.toLowerCase() === policy.executorAddress.toLowerCase()
  return (
    <Facts>
      <Fact term={<Trans>With a signature</Trans>}>
        <Trans>
          up to <Money baseUnits={policy.approvedCap} isStrong /> a payment
        </Trans>
      </Fact>
      <Fact term={<Trans>Automatic</Trans>}>
        {policy.automaticEnabled ? (
          <Trans>
            on, up to <Money baseUnits={policy.automaticCap} isStrong /> a payment without a
            signature
          </Trans>
        ) : (
          <Trans>off: every payment needs a signature</Trans>
        )}
      </Fact>
      <Fact term={<Trans>Signatures</Trans>}>
        {policy.tiers.length === 0 ? (
          <Trans>one approver is enough for every amount</Trans>
        ) : (
          <TierLines tiers={policy.tiers} />
        )}
      </Fact>
      <Fact term={<Trans>In one period</Trans>}>
        <PeriodWords policy={policy} />
      </Fact>
      <Fact term={<Trans>In total</Trans>}>
        <Trans>
          up to <Money baseUnits={policy.lifetimeCap} isStrong /> over the life of the vault,{' '}
          <Money baseUnits={policy.spentTotal} /> of it paid
        </Trans>
      </Fact>
      <Fact term={<Trans>Reserve</Trans>}>
        <Trans>
          no payment leaves less than <Money baseUnits={policy.reserveFloor} isStrong /> in the
          vault
        </Trans>
      </Fact>
      <Fact term={<Trans>Ends</Trans>}>
        <Moment at={policy.expiresAt} style="full" /> (<Moment at={policy.expiresAt} />)
      </Fact>
      <Fact term={<Trans>Approvers</Trans>}>
        <AddressDetails
          addresses={policy.approverAddresses}
          names={names}
          summary={
            <Plural value={policy.approverAddresses.length} one="# wallet" other="# wallets" />
          }
        />
      </Fact>
      <Fact term={<Trans>Executor</Trans>}>
        <Address address={policy.executorAddress} />
        {isOwn && <GasStanding executor={executor} />}
      </Fact>
    </Facts>
  )
}
