import type { DataOf } from '@countersign/client/operation-types.ts'
import { Address } from '@countersign/ui/address.tsx'
import { Mark } from '@countersign/ui/mark.tsx'
import { Moment } from '@countersign/ui/moment.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Card, Section } from '@countersign/ui/page.tsx'
import { Spinner } from '@countersign/ui/spinner.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { useExplorer } from '../../data/explorer.ts'
import type { OtherExecutor, Rotation } from './executor-rotation.ts'
import { GasAmount, GasStanding, SendGas } from './gas-amount.tsx'
import { isGasLow } from './treasury-warnings.ts'
import { useReconcile } from './use-reconcile.tsx'

type Shown = Pick<
  NonNullable<DataOf<'getExecutor'>['binding']>,
  'address' | 'providerType' | 'nativeBalanceWei' | 'createdAt'
>

function ExecutorFacts({ executor }: { executor: Shown }) {
  const explorer = useExplorer()
  return (
    <>
      <Address address={executor.address} explorerUrl={explorer.address(executor.address)} />
      <div className="flex flex-wrap items-baseline gap-x-4">
        <GasStanding executor={executor} />
        <span className="text-muted text-sm">
          <Trans>
            created <Moment at={executor.createdAt} style="full" />
          </Trans>
        </span>
      </div>
    </>
  )
}

export function ExecutorInUse({ executor }: { executor: Shown }) {
  const { t } = useLingui()
  const look = useReconcile(<Trans context="executor">Look again</Trans>)
  return (
    <Section
      title={<Trans>In use</Trans>}
      note={<Mark kind="done">{t`Active`}</Mark>}
      actions={look.button}
    >
      <Card>
        <ExecutorFacts executor={executor} />
        {isGasLow(executor) && <SendGasBelow />}
        {look.failure}
      </Card>
    </Section>
  )
}

const SendGasBelow = () => (
  <p className="mt-3 text-muted text-sm">
    <SendGas />
  </p>
)

/** The one that follows, from the moment it is asked for until a policy in force names it. */
export function NextExecutor({ rotation: { next, making } }: { rotation: Rotation }) {
  const { t } = useLingui()
  if (!next && making === null) return null
  return (
    <Section
      title={<Trans>Next</Trans>}
      note={next && <Mark kind="waiting">{t`Waits for a policy`}</Mark>}
    >
      <Card>
        <div aria-live="polite">
          {next ? (
            <>
              <ExecutorFacts executor={next} />
              {isGasLow(next) && <SendGasBelow />}
              <p className="mt-3 text-pretty text-sm">
                <Trans>
                  Every policy that is prepared now names this executor. It takes over when the
                  first of them is in force.
                </Trans>
              </p>
            </>
          ) : making === 'failed' ? (
            <MakingFailed />
          ) : (
            <p className="flex items-center gap-2">
              <Spinner />
              <Trans>A new executor is being created. The one in use goes on sending.</Trans>
            </p>
          )}
        </div>
      </Card>
    </Section>
  )
}

function MakingFailed() {
  const reconcile = useReconcile(<Trans>Try again</Trans>)
  return (
    <Notice
      tone="bad"
      title={<Trans>The provider of the key did not answer. Try again.</Trans>}
      actions={reconcile.button}
    >
      <Trans>The executor in use is not affected.</Trans>
      {reconcile.failure}
    </Notice>
  )
}

/** Those that were in use before, and the gas that is left at their addresses. */
export function EarlierExecutors({ executors }: { executors: readonly OtherExecutor[] }) {
  const { t } = useLingui()
  if (executors.length === 0) return null
  return (
    <Section title={<Trans>Earlier</Trans>} note={executors.length}>
      <Card isFlush>
        <ul className="divide-y divide-line" aria-label={t`Executors that were in use before`}>
          {executors.map(({ id, address, state, nativeBalanceWei }) => (
            <li key={id} className="flex flex-col gap-1.5 px-4 py-4 sm:px-5">
              <Address address={address} />
              <span className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
                {state === 'disabled' ? (
                  <Mark kind="ended">{t`Retired`}</Mark>
                ) : (
                  <Mark kind="working">{t`Being replaced`}</Mark>
                )}
                <GasAmount wei={nativeBalanceWei} />
              </span>
              <p className="text-pretty text-muted text-sm">
                {state === 'disabled' ? (
                  <Trans>It sends nothing any more. Gas that is left stays at its address.</Trans>
                ) : (
                  <Trans>
                    What it has sent is settled first. Vaults whose policy still names it go on
                    paying with it.
                  </Trans>
                )}
              </p>
            </li>
          ))}
        </ul>
      </Card>
    </Section>
  )
}
