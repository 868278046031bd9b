import { Mark } from '@countersign/ui/mark.tsx'
import { useRegion } from '@countersign/ui/use-region.ts'
import { Trans, useLingui } from '@lingui/react/macro'
import { formatUnits } from 'viem'
import { useOrganization } from '../../data/organization.tsx'
import { isGasLow } from './treasury-warnings.ts'

const GAS_DIGITS = 6

/** What an executor holds to pay for gas. */
export function GasAmount({ wei }: { wei: string }) {
  const region = useRegion()
  const { nativeSymbol } = useOrganization().config.chain
  const amount = new Intl.NumberFormat(region, { maximumFractionDigits: GAS_DIGITS }).format(
    formatUnits(BigInt(wei), 18) as Intl.StringNumericLiteral,
  )
  const gas = nativeSymbol === null ? amount : `${amount} ${nativeSymbol}`
  return (
    <span className="figures">
      <Trans>{gas} for gas</Trans>
    </span>
  )
}

/** The same, and whether it is enough. */
export function GasStanding({ executor }: { executor: Parameters<typeof isGasLow>[0] }) {
  const { t } = useLingui()
  return (
    <span className="mt-1 flex flex-wrap items-center gap-2 text-sm">
      <GasAmount wei={executor.nativeBalanceWei} />
      {isGasLow(executor) ? (
        <Mark kind="warning">{t`Low`}</Mark>
      ) : (
        <Mark kind="done">{t`Enough`}</Mark>
      )}
    </span>
  )
}

/** Words that follow where an executor is low on gas. */
export function SendGas() {
  const { config } = useOrganization()
  return (
    <Trans>
      Send some of the native currency of {config.chain.name} to its address from any wallet.
    </Trans>
  )
}
