import { useRead } from '@countersign/app-kit/data/queries.ts'
import { ReadView } from '@countersign/app-kit/shell/read-view.tsx'
import { Address } from '@countersign/ui/address.tsx'
import { Mark } from '@countersign/ui/mark.tsx'
import { Moment } from '@countersign/ui/moment.tsx'
import { Card, Empty, Fact, Facts } from '@countersign/ui/page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { ReadAgain } from '../../shell/read-again.tsx'
import { Gas } from '../../subjects/gas.tsx'
import { LookAgainButton } from '../../subjects/look-again-button.tsx'
import { PROVISIONING_STATES } from '../../words/lifecycles.ts'

/** A read of its own: the executor is not part of the organization's answer. */
export function ExecutorSection({ organizationId }: { organizationId: string }) {
  const { i18n } = useLingui()
  const executor = useRead('getAdminExecutor', { path: { organizationId } })
  return (
    <ReadView of={executor}>
      {({ binding, provisioning }) => {
        if (!binding && !provisioning) {
          return (
            <Empty title={<Trans>There is no executor</Trans>}>
              <Trans>An owner sets it up in the treasury. Until then no payment can be sent.</Trans>
            </Empty>
          )
        }
        const state = provisioning && PROVISIONING_STATES[provisioning.state]
        return (
          <Card>
            <Facts>
              {binding && (
                <>
                  <Fact term={<Trans>Address</Trans>}>
                    <Address address={binding.address} />
                  </Fact>
                  <Fact term={<Trans>Gas</Trans>}>
                    <Gas wei={binding.nativeBalanceWei} />
                  </Fact>
                  <Fact term={<Trans>Key held by</Trans>}>{binding.providerType}</Fact>
                  <Fact term={<Trans>Since</Trans>}>
                    <Moment at={binding.createdAt} style="full" />
                  </Fact>
                </>
              )}
              {provisioning && state && (
                <Fact term={<Trans>Provisioning</Trans>}>
                  <span className="flex flex-wrap items-center gap-3">
                    <Mark kind={state.kind}>{i18n._(state.word)}</Mark>
                    {provisioning.failureCode && (
                      <span className="font-mono text-sm">{provisioning.failureCode}</span>
                    )}
                    <span className="text-muted text-sm">
                      <Moment at={provisioning.updatedAt} />
                    </span>
                  </span>
                </Fact>
              )}
            </Facts>
            <div className="mt-5 flex flex-wrap items-center gap-3">
              <LookAgainButton
                organizationId={organizationId}
                onDone={() => void executor.refetch()}
              />
              <ReadAgain of={executor} />
            </div>
          </Card>
        )
      }}
    </ReadView>
  )
}
