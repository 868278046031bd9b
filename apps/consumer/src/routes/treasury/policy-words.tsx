import type { DataOf } from '@countersign/client/operation-types.ts'
import { Address } from '@countersign/ui/address.tsx'
import { Mark } from '@countersign/ui/mark.tsx'
import { Moment } from '@countersign/ui/moment.tsx'
import { Money } from '@countersign/ui/money.tsx'
import { Fact, Facts } from '@countersign/ui/page.tsx'
import { useRegion } from '@countersign/ui/use-region.ts'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { formatUnits } from 'viem'
import { AddressDetails } from './address-details.tsx'
import { Duration, TierLines } from './policy-limit-words.tsx'
import { isGasLow } from './treasury-warnings.ts'

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

const GAS_DIGITS = 6

/** The policy in force in plain words. */
export function PolicyWords({ policy, executor, names }: Props) {
  const { t } = useLingui()
  const region = useRegion()
  const isOwn = executor?.address.toLowerCase() === policy.executorAddress.toLowerCase()
  const gas =
    executor &&
    new Intl.NumberFormat(region, { maximumFractionDigits: GAS_DIGITS }).format(
      formatUnits(BigInt(executor.nativeBalanceWei), 18) as Intl.StringNumericLiteral,
    )
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
          <Money baseUnits={policy.reserveFloor} isStrong /> always stays in the vault
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
        {isOwn && gas && (
          <span className="mt-1 flex flex-wrap items-center gap-2 text-sm">
            <span className="figures">
              <Trans>{gas} ETH for gas</Trans>
            </span>
            {isGasLow(executor) ? (
              <Mark kind="warning">{t`Low`}</Mark>
            ) : (
              <Mark kind="done">{t`Enough`}</Mark>
            )}
          </span>
        )}
      </Fact>
    </Facts>
  )
}
