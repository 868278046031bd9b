import type { DataOf } from '@countersign/client/operation-types.ts'
import { Moment } from '@countersign/ui/moment.tsx'
import { Money } from '@countersign/ui/money.tsx'
import { Trans } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { Duration } from './policy-limit-words.tsx'

type Vault = DataOf<'getVault'>

const Tile = ({
  term,
  hint,
  children,
}: {
  term: ReactNode
  hint: ReactNode
  children: ReactNode
}) => (
  <div className="flex min-w-0 flex-col bg-surface px-4 py-3">
    <dt className="text-muted text-sm">{term}</dt>
    <dd className="mt-0.5">
      <span className="block text-lg sm:text-xl">{children}</span>
      <span className="block text-muted text-xs">{hint}</span>
    </dd>
  </div>
)

/** The clock of a chain may be a little ahead. */
const notLaterThan = (at: string, now: Date): string =>
  new Date(at) > now ? now.toISOString() : at

type Period = NonNullable<Vault['period']>

/** What may still leave before the next period begins. */
function PeriodFigures({ period, isAutomatic }: { period: Period; isAutomatic: boolean }) {
  return (
    <dl className="mt-3 grid grid-cols-1 gap-px overflow-hidden rounded-lg border border-line bg-line sm:grid-cols-3">
      <Tile
        term={<Trans>Left in this period</Trans>}
        hint={
          <Trans>
            <Money baseUnits={period.spentBaseUnits} /> paid,{' '}
            <Money baseUnits={period.reservedBaseUnits} /> committed
          </Trans>
        }
      >
        <Money baseUnits={period.remainingBaseUnits} isStrong />
      </Tile>
      <Tile
        term={<Trans>Left without a signature</Trans>}
        hint={
          <Trans>
            <Money baseUnits={period.automaticSpentBaseUnits} /> paid automatically
          </Trans>
        }
      >
        {isAutomatic ? <Money baseUnits={period.automaticRemainingBaseUnits} isStrong /> : <None />}
      </Tile>
      <Tile
        term={<Trans>The period ends</Trans>}
        hint={
          <Trans>
            a period lasts <Duration seconds={period.periodSeconds} />
          </Trans>
        }
      >
        <Moment at={period.endsAt} style="full" />
      </Tile>
    </dl>
  )
}

const None = () => <span className="text-muted">–</span>

/** What is in the vault, what of it is promised, and what may still be paid. */
export function VaultFigures({ vault }: { vault: Vault }) {
  const { policy, asOfBlock, asOfTime } = vault
  return (
    <div>
      <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-lg border border-line bg-line lg:grid-cols-4">
        <Tile term={<Trans>Balance</Trans>} hint={<Trans>in the vault</Trans>}>
          <Money baseUnits={vault.balanceBaseUnits} isStrong />
        </Tile>
        <Tile term={<Trans>Committed</Trans>} hint={<Trans>set aside for payments</Trans>}>
          <Money baseUnits={vault.reservedBaseUnits} isStrong />
        </Tile>
        <Tile
          term={<Trans>Available</Trans>}
          hint={<Trans>not committed, above the reserve</Trans>}
        >
          {vault.availableBaseUnits === null ? (
            <None />
          ) : (
            <Money baseUnits={vault.availableBaseUnits} isStrong />
          )}
        </Tile>
        <Tile term={<Trans>Remaining</Trans>} hint={<Trans>of the lifetime cap</Trans>}>
          {vault.remainingAllowanceBaseUnits === null ? (
            <None />
          ) : (
            <Money baseUnits={vault.remainingAllowanceBaseUnits} isStrong />
          )}
        </Tile>
      </dl>
      {vault.period && (
        <PeriodFigures period={vault.period} isAutomatic={policy?.automaticEnabled ?? false} />
      )}
      <p className="mt-2 text-muted text-sm">
        {policy && policy.reserveFloor !== '0' && (
          <>
            <Trans>
              No payment leaves less than <Money baseUnits={policy.reserveFloor} /> in the vault.
            </Trans>{' '}
          </>
        )}
        {asOfBlock !== null && asOfTime !== null && (
          <Trans>
            As of block <span className="figures">{asOfBlock}</span>,{' '}
            <Moment at={notLaterThan(asOfTime, new Date())} />.
          </Trans>
        )}
      </p>
    </div>
  )
}
