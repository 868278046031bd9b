import { useAction } from '@countersign/app-kit/data/actions.ts'
import { ConfirmDialog } from '@countersign/app-kit/shell/confirm-dialog.tsx'
import type { DataOf } from '@countersign/client/operation-types.ts'
import { Button } from '@countersign/ui/button.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Card, Section } from '@countersign/ui/page.tsx'
import { say } from '@countersign/ui/say.ts'
import { Trans, useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { useOrganization } from '../../data/organization.tsx'
import { type NoRotation, type Rotation, whyNoRotation } from './executor-rotation.ts'
import { useOnlyOwners } from './use-only-owners.ts'

type Vault = DataOf<'getVault'>
type Props = { rotation: Rotation; vaults: readonly Vault[] }

/** Asks for the next executor, after saying what happens and what does not. */
export function ReplaceExecutor({ rotation, vaults }: Props) {
  const { t } = useLingui()
  const { id: organizationId, role } = useOrganization()
  const [isAsking, setAsking] = useState(false)
  const provision = useAction('provisionExecutor', ['getExecutor'])
  const whyText = useWhyText()
  const why = whyNoRotation(rotation, { isOwner: role === 'owner', vaults })
  const close = () => {
    setAsking(false)
    provision.reset()
  }
  const start = async () => {
    const asked = await provision.run({ path: { organizationId } })
    if (!asked.ok) return
    say(t`A new executor is being created.`)
    close()
  }
  return (
    <Section title={<Trans>Replace the executor</Trans>}>
      <Card>
        <div className="flex flex-col gap-4">
          <WhatHappens />
          <IfStolen hasDelay={vaults.some(({ changeDelaySeconds }) => changeDelaySeconds > 0)} />
          <div>
            <Button reason={why && whyText(why)} onClick={() => setAsking(true)}>
              <Trans>Replace it</Trans>
            </Button>
          </div>
        </div>
      </Card>
      {isAsking && (
        <ConfirmDialog
          title={<Trans>Replace the executor?</Trans>}
          confirm={<Trans>Create a new executor</Trans>}
          isBusy={provision.isBusy}
          failure={provision.failure}
          onConfirm={() => void start()}
          onClose={close}
        >
          <p>
            <Trans>
              Nothing changes on the chain yet, and payments go on. Afterwards prepare the policy of
              each vault: it names the new executor, and the owner of the vault signs it.
            </Trans>
          </p>
        </ConfirmDialog>
      )}
    </Section>
  )
}

const WhatHappens = () => (
  <ol className="list-decimal space-y-1.5 ps-5 text-pretty marker:text-muted">
    <li>
      <Trans>A new key is created. The one in use goes on sending payments.</Trans>
    </li>
    <li>
      <Trans>
        Policies that are prepared from then on name the new one. The owner of each vault signs
        them; approvals that wait then have to be signed again.
      </Trans>
    </li>
    <li>
      <Trans>
        When such a policy is in force, the new one takes over. What the old one has sent is settled
        first, then it is retired.
      </Trans>
    </li>
  </ol>
)

const IfStolen = ({ hasDelay }: { hasDelay: boolean }) => (
  <Notice tone="warn" title={<Trans>If the key may have been stolen, stop payments first</Trans>}>
    {hasDelay ? (
      <Trans>
        Use the emergency stop of each vault. It takes effect at once. A vault whose changes wait
        accepts the old executor until the new policy is in force, and only the stop protects it
        meanwhile.
      </Trans>
    ) : (
      <Trans>
        Use the emergency stop of each vault. It takes effect at once, and the owner lifts it when
        the new policy is in force.
      </Trans>
    )}
  </Notice>
)

function useWhyText(): (why: NoRotation) => string {
  const { t } = useLingui()
  const onlyOwners = useOnlyOwners()
  return (why) => {
    switch (why) {
      case 'not_owner':
        return onlyOwners
      case 'being_made':
        return t`A new executor has been asked for already.`
      case 'next_unnamed':
        return t`No policy in force names the next executor yet. Prepare a policy first.`
      case 'unnamed':
        return t`No policy in force names this executor yet. Set a policy first.`
    }
  }
}
