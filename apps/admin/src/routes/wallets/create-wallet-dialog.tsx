import { useAction } from '@countersign/app-kit/data/actions.ts'
import { FailureNotice } from '@countersign/app-kit/shell/failure-notice.tsx'
import { Button } from '@countersign/ui/button.tsx'
import { Dialog } from '@countersign/ui/dialog.tsx'
import { SelectField, TextField } from '@countersign/ui/field.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { say } from '@countersign/ui/say.ts'
import { Trans, useLingui } from '@lingui/react/macro'
import { type FormEvent, useId, useState } from 'react'

const PURPOSE_MAX = 100

export function CreateWalletDialog({ onClose }: { onClose(): void }) {
  const { t } = useLingui()
  const create = useAction('createAdminWallet', ['listAdminWallets'])
  const [purpose, setPurpose] = useState('')
  const [chainType, setChainType] = useState<'ethereum' | 'solana'>('ethereum')
  const formId = useId()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!(await create.run({ body: { purpose: purpose.trim(), chainType } })).ok) return
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
          hint={t`For instance: gas for executors.`}
          value={purpose}
          onChange={(event) => setPurpose(event.target.value)}
          maxLength={PURPOSE_MAX}
          autoComplete="off"
          required
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
