import { useRead } from '@countersign/app-kit/data/queries.ts'
import { ReadView } from '@countersign/app-kit/shell/read-view.tsx'
import type { DataOf } from '@countersign/client/operation-types.ts'
import { Address } from '@countersign/ui/address.tsx'
import { Mark } from '@countersign/ui/mark.tsx'
import { Moment } from '@countersign/ui/moment.tsx'
import { Card, Empty, Fact, Facts, Section } from '@countersign/ui/page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { ReadAgain } from '../../shell/read-again.tsx'
import { Gas } from '../../subjects/gas.tsx'
import { LookAgainButton } from '../../subjects/look-again-button.tsx'
import { BINDING_STATES, PROVISIONING_STATES } from '../../words/lifecycles.ts'

/** A read of its own: the executor is not part of the organization's answer. */
export function ExecutorSection({ organizationId }: { organizationId: string }) {
  const { i18n } = useLingui()
  const executor = useRead('getAdminExecutor', { path: { organizationId } })
  return (
    <ReadView of={executor}>
      {({ binding, provisioning, otherBindings }) => {
        if (!binding && !provisioning) {
          return (
            <Empty title={<Trans>There is no executor</Trans>}>
              <Trans>An owner sets it up in the treasury. Until then no payment can be sent.</Trans>
            </Empty>
          )
        }
        const state = provisioning && PROVISIONING_STATES[provisioning.state]
        return (
          <>
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
            <OtherExecutors bindings={otherBindings} />
          </>
        )
      }}
    </ReadView>
  )
}

type Other = DataOf<'getAdminExecutor'>['otherBindings'][number]

/** The one that follows, and those that were in use before, with the gas that is left. */
function OtherExecutors({ bindings }: { bindings: readonly Other[] }) {
  const { t, i18n } = useLingui()
  if (bindings.length === 0) return null
  return (
    <Section title={<Trans>Other executors</Trans>} note={bindings.length}>
      <Card isFlush>
        <ul className="divide-y divide-line" aria-label={t`Other executors`}>
          {bindings.map(({ id, address, state, providerType, nativeBalanceWei, createdAt }) => {
            const { kind, word } = BINDING_STATES[state]
            return (
              <li key={id} className="flex flex-col gap-1.5 px-4 py-4 sm:px-5">
                <span>
                  <Mark kind={kind}>{i18n._(word)}</Mark>
                </span>
                <Address address={address} />
                <span className="flex flex-wrap gap-x-4 gap-y-1 text-muted text-sm">
                  <span>
                    <Trans>Gas</Trans> <Gas wei={nativeBalanceWei} />
                  </span>
                  <span>
                    <Trans>Key held by</Trans> <span translate="no">{providerType}</span>
                  </span>
                  <Moment at={createdAt} style="full" />
                </span>
              </li>
            )
          })}
        </ul>
      </Card>
    </Section>
  )
}
