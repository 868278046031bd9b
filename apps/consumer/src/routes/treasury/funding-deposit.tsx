import { useAction } from '@countersign/app-kit/data/actions.ts'
import { FailureNotice } from '@countersign/app-kit/shell/failure-notice.tsx'
import { Button } from '@countersign/ui/button.tsx'
import { Card, Section } from '@countersign/ui/page.tsx'
import { say } from '@countersign/ui/say.ts'
import { Trans, useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { useOrganization } from '../../data/organization.tsx'
import { AmountForm } from './amount-form.tsx'

type Props = { most: string; isBlocked: boolean; hasControl: boolean }

/** Asks the signer for a deposit, or tests that it is denied anything else. */
export function FundingDeposit({ most, isBlocked, hasControl }: Props) {
  const { t } = useLingui()
  const { id: organizationId, role } = useOrganization()
  const path = { organizationId }
  const deposit = useAction('requestFundingAction', ['listFundingActions', 'getProviderSigner'])
  const probe = useAction('requestFundingAction', ['listFundingActions'])
  const [done, setDone] = useState(0)
  const failure = deposit.failure ?? probe.failure
  const reason = role === 'owner' ? undefined : t`Only an owner can ask the signer.`
  return (
    <Section
      title={<Trans>Deposit by the signer</Trans>}
      actions={
        <Button
          size="small"
          isBusy={probe.isBusy}
          reason={reason ?? (hasControl ? undefined : t`No signer is attached.`)}
          onClick={async () => {
            const asked = await probe.run({
              path,
              body: { action: 'withdraw_probe', amountBaseUnits: '0' },
            })
            if (asked.ok) say(t`The test was requested. It must be denied.`)
          }}
        >
          <Trans>Test the signer</Trans>
        </Button>
      }
    >
      <Card>
        <div className="flex flex-col gap-3">
          {isBlocked ? (
            <p className="text-muted">
              <Trans>Possible once nothing is missing above.</Trans>
            </p>
          ) : reason ? (
            <p className="text-muted">{reason}</p>
          ) : (
            <AmountForm
              key={done}
              label={t`Amount`}
              most={BigInt(most)}
              button={<Trans>Deposit</Trans>}
              tooMuch={t`The policy of the signer allows less.`}
              onAmount={async (amount) => {
                const asked = await deposit.run({
                  path,
                  body: { action: 'deposit', amountBaseUnits: amount.toString() },
                })
                if (!asked.ok) return
                setDone((count) => count + 1)
                say(t`The deposit was requested.`)
              }}
            />
          )}
          {failure && <FailureNotice failure={failure} />}
        </div>
      </Card>
    </Section>
  )
}
