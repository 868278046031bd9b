import { useAction } from '@countersign/app-kit/data/actions.ts'
import { FailureNotice } from '@countersign/app-kit/shell/failure-notice.tsx'
import { Button } from '@countersign/ui/button.tsx'
import { Dialog } from '@countersign/ui/dialog.tsx'
import { SelectField, TextField } from '@countersign/ui/field.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { say } from '@countersign/ui/say.ts'
import { Trans, useLingui } from '@lingui/react/macro'
import { type FormEvent, useId, useState } from 'react'
import type { Me } from '../../data/organization.tsx'

type Props = { me: Me; purposeMax: number; onClose(): void }

export function CreateWalletDialog({ me, purposeMax, onClose }: Props) {
  const { t } = useLingui()
  const create = useAction('createWallet', ['listWallets', 'getAccount', 'listMembers'])
  const [purpose, setPurpose] = useState('')
  const [organizationId, setOrganizationId] = useState('')
  const [chainType, setChainType] = useState<'ethereum' | 'solana'>('ethereum')
  const formId = useId()
  const organizations = me.memberships.filter(({ status }) => status === 'active')
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const body = { purpose: purpose.trim(), chainType, ...(organizationId && { organizationId }) }
    const made = await create.run({ body })
    if (!made.ok) return
    say(t`The wallet is made`)
    onClose()
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={<Trans>Make a server wallet</Trans>}
      description={
        <Trans>
          The wallet provider of this service makes the key and holds it. You can export the key
          later.
        </Trans>
      }
      actions={
        <>
          <Button onClick={onClose}>
            <Trans>Cancel</Trans>
          </Button>
          <Button
            type="submit"
            form={formId}
            look="primary"
            isBusy={create.isBusy}
            isDisabled={purpose.trim() === ''}
          >
            <Trans>Make it</Trans>
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={submit} className="flex flex-col gap-4">
        <TextField
          label={t`What is it for?`}
          hint={t`For instance: top-ups of the main vault.`}
          value={purpose}
          onChange={(event) => setPurpose(event.target.value)}
          maxLength={purposeMax}
          autoComplete="off"
          required
        />
        <SelectField
          label={t`For which organization?`}
          hint={t`Its owners are told, and can let the wallet fund a vault.`}
          value={organizationId}
          onChange={(event) => setOrganizationId(event.target.value)}
          placeholder={t`Only for me`}
          options={organizations.map((each) => ({
            value: each.organizationId,
            label: each.organizationName,
          }))}
        />
        <SelectField
          label={t`Chain`}
          value={chainType}
          onChange={(event) =>
            setChainType(event.target.value === 'solana' ? 'solana' : 'ethereum')
          }
          options={[
            { value: 'ethereum', label: 'Ethereum' },
            { value: 'solana', label: 'Solana' },
          ]}
        />
        {create.failure?.code === 'dependency_unavailable' ? (
          <Notice tone="info" isLive title={<Trans>Nobody knows yet whether it was made</Trans>}>
            <Trans>
              Press the button again: it asks for the same wallet, never for a second one.
            </Trans>
          </Notice>
        ) : (
          create.failure && <FailureNotice failure={create.failure} />
        )}
      </form>
    </Dialog>
  )
}
