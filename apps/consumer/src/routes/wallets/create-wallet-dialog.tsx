import { useAction } from '@countersign/app-kit/data/actions.ts'
import { SelectField, TextField } from '@countersign/ui/field.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { say } from '@countersign/ui/say.ts'
import { Trans, useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import type { Me } from '../../data/organization.tsx'
import { FormDialog } from '../../shell/form-dialog.tsx'

type Props = { me: Me; purposeMax: number; onClose(): void }

export function CreateWalletDialog({ me, purposeMax, onClose }: Props) {
  const { t } = useLingui()
  const create = useAction('createWallet', ['listWallets', 'getAccount', 'listMembers'])
  const [purpose, setPurpose] = useState('')
  const [organizationId, setOrganizationId] = useState('')
  const [chainType, setChainType] = useState<'ethereum' | 'solana'>('ethereum')
  const isUnknown = create.failure?.code === 'dependency_unavailable'
  const organizations = me.memberships.filter(({ status }) => status === 'active')
  const submit = async () => {
    const body = { purpose: purpose.trim(), chainType, ...(organizationId && { organizationId }) }
    const made = await create.run({ body })
    if (!made.ok) return
    say(t`The wallet was created`)
    onClose()
  }
  return (
    <FormDialog
      title={<Trans>Create a server wallet</Trans>}
      description={
        <Trans>
          The wallet provider of this service makes the key and holds it. You can export the key
          later.
        </Trans>
      }
      action={<Trans>Create</Trans>}
      isReady={purpose.trim() !== ''}
      isBusy={create.isBusy}
      failure={isUnknown ? null : create.failure}
      onSubmit={submit}
      onClose={onClose}
    >
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
          isName: true,
        }))}
      />
      <SelectField
        label={t`Chain`}
        value={chainType}
        onChange={(event) => setChainType(event.target.value === 'solana' ? 'solana' : 'ethereum')}
        options={[
          { value: 'ethereum', label: 'Ethereum', isName: true },
          { value: 'solana', label: 'Solana', isName: true },
        ]}
      />
      {isUnknown && (
        <Notice tone="info" isLive title={<Trans>Nobody knows yet whether it was created</Trans>}>
          <Trans>
            Press the button again: it asks for the same wallet, never for a second one.
          </Trans>
        </Notice>
      )}
    </FormDialog>
  )
}
