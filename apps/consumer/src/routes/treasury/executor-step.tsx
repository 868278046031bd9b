import { useAction } from '@countersign/app-kit/data/actions.ts'
import { useRead } from '@countersign/app-kit/data/queries.ts'
import { FailureNotice } from '@countersign/app-kit/shell/failure-notice.tsx'
import { ReadView } from '@countersign/app-kit/shell/read-view.tsx'
import { Address } from '@countersign/ui/address.tsx'
import { Button } from '@countersign/ui/button.tsx'
import { Mark } from '@countersign/ui/mark.tsx'
import { Card, Section } from '@countersign/ui/page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { useOrganization } from '../../data/organization.tsx'

/** The key that will send payments. A vault can exist without it, a policy cannot. */
export function ExecutorStep() {
  const { t } = useLingui()
  const { id: organizationId } = useOrganization()
  const path = { organizationId }
  const executor = useRead('getExecutor', { path })
  const provision = useAction('provisionExecutor', ['getExecutor'])
  const reconcile = useAction('reconcileExecutor', ['getExecutor'])
  return (
    <Section title={<Trans>Executor</Trans>}>
      <Card>
        <ReadView of={executor} lines={1}>
          {({ binding, provisioning }) => {
            if (binding) {
              return (
                <div className="flex flex-col gap-1" aria-live="polite">
                  <span>
                    <Mark kind="done">{t`Active`}</Mark>
                  </span>
                  <Address address={binding.address} />
                </div>
              )
            }
            const isFailed = provisioning?.state === 'failed'
            const isUnderWay = provisioning !== null && !isFailed
            return (
              <div className="flex flex-col gap-3">
                <p className="text-muted">
                  <Trans>
                    The executor is the key that sends payments. It can only pay what the policy of
                    the vault allows, and it needs a little of the native currency for gas.
                  </Trans>
                </p>
                {isFailed && (
                  <p className="text-bad" role="alert">
                    <Trans>The provider of the key did not answer. Try again.</Trans>
                  </p>
                )}
                <div>
                  <Button
                    look="primary"
                    isBusy={isUnderWay || provision.isBusy || reconcile.isBusy}
                    onClick={() =>
                      void (isFailed ? reconcile.run({ path }) : provision.run({ path }))
                    }
                  >
                    {isUnderWay ? (
                      <Trans>Being created</Trans>
                    ) : isFailed ? (
                      <Trans>Try again</Trans>
                    ) : (
                      <Trans>Get an executor</Trans>
                    )}
                  </Button>
                </div>
              </div>
            )
          }}
        </ReadView>
        {(provision.failure ?? reconcile.failure) && (
          <div className="mt-3">
            <FailureNotice
              failure={
                (provision.failure ?? reconcile.failure) as NonNullable<typeof provision.failure>
              }
            />
          </div>
        )}
      </Card>
    </Section>
  )
}
