import { useAction } from '@countersign/app-kit/data/actions.ts'
import { FailureNotice } from '@countersign/app-kit/shell/failure-notice.tsx'
import { Button } from '@countersign/ui/button.tsx'
import { TextField } from '@countersign/ui/field.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Card, Section } from '@countersign/ui/page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { type FormEvent, useState } from 'react'
import { useOrganization } from '../../data/organization.tsx'
import { useKept } from '../../wallet/kept.ts'
import { DelayField } from './delay-field.tsx'
import { DeploymentCard } from './deployment-card.tsx'
import { currentOf, isOldNews } from './intent-steps.ts'
import { keptDeployment } from './kept-transactions.ts'
import { PeopleLink } from './treasury-link.tsx'
import { useDeployments, useDismissed } from './use-intents.ts'

/** Names and prepares a vault, then follows its deployment. */
export function DeployVault({ ownWallets }: { ownWallets: readonly string[] }) {
  const { t } = useLingui()
  const { id: organizationId, config } = useOrganization()
  const [kept, keep] = useKept(`deployment.${organizationId}`, keptDeployment)
  const [dismissed, dismiss] = useDismissed(organizationId)
  const [label, setLabel] = useState(t`Main vault`)
  const [delay, setDelay] = useState(0)
  const prepare = useAction('prepareVaultDeployment', ['listVaultDeployments'])
  const deployments = useDeployments()
  const rows = (deployments.data?.vaultDeployments ?? []).filter(
    (row) => !isOldNews(row, new Date()),
  )
  const current = currentOf(rows, { keptId: kept?.intentId, dismissed })

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const body = { label: label.trim(), changeDelaySeconds: delay }
    const prepared = await prepare.run({ path: { organizationId }, body })
    if (prepared.ok) keep({ intentId: prepared.data.id, ...body, hash: null })
  }

  if (current) {
    return (
      <Section title={<Trans>Deployment</Trans>}>
        <DeploymentCard
          deployment={current}
          kept={kept?.intentId === current.id ? kept : null}
          ownWallets={ownWallets}
          onSent={(hash) => {
            const { id, changeDelaySeconds } = current
            keep({ intentId: id, label: current.label, changeDelaySeconds, hash })
          }}
          onAgain={() => {
            if (current.state === 'failed') dismiss(current.id)
            keep(null)
          }}
        />
      </Section>
    )
  }
  return (
    <Section title={<Trans>Deployment</Trans>}>
      <Card>
        {ownWallets.length === 0 ? (
          <Notice
            tone="warn"
            title={<Trans>No wallet of yours has the role of treasury owner</Trans>}
            actions={
              <PeopleLink look={{ size: 'small' }}>
                <Trans>Give the role</Trans>
              </PeopleLink>
            }
          >
            <Trans>
              The wallet that deploys the vault owns it: it alone sets the policy and can withdraw.
              Link your own wallet first if you have not, best a hardware wallet.
            </Trans>
          </Notice>
        ) : (
          <form onSubmit={submit} className="flex flex-col gap-4">
            <TextField
              label={t`Name of the vault`}
              value={label}
              onChange={(event) => setLabel(event.target.value)}
              maxLength={config.limits.lengths.vaultLabel}
              hint={t`Only members of your organization see it.`}
              autoComplete="off"
              required
            />
            <DelayField delay={delay} onChange={setDelay} />
            {prepare.failure && <FailureNotice failure={prepare.failure} />}
            <div>
              <Button
                type="submit"
                look="primary"
                isBusy={prepare.isBusy}
                isDisabled={label.trim() === ''}
              >
                <Trans>Prepare the deployment</Trans>
              </Button>
            </div>
          </form>
        )}
      </Card>
    </Section>
  )
}
