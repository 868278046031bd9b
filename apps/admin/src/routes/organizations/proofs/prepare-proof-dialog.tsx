import { useAction } from '@countersign/app-kit/data/actions.ts'
import { FailureNotice } from '@countersign/app-kit/shell/failure-notice.tsx'
import { Button } from '@countersign/ui/button.tsx'
import { Dialog } from '@countersign/ui/dialog.tsx'
import { SelectField, TextField } from '@countersign/ui/field.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { type FormEvent, useId, useState } from 'react'
import type { OrganizationDetail } from '../../../data/organization-detail.ts'

const KINDS = ['funding', 'deployment', 'configure', 'approval'] as const
type Kind = (typeof KINDS)[number]
type Field = 'signer' | 'owner' | 'vault' | 'executor' | 'recipient' | 'paymentIntentId'

/** What each kind needs, apart from the signer and the owner. */
const NEEDED: Record<Kind, readonly Field[]> = {
  funding: ['vault'],
  deployment: [],
  configure: ['vault', 'executor', 'recipient'],
  approval: ['vault', 'paymentIntentId'],
}

type Props = { detail: OrganizationDetail; onClose(): void }

export function PrepareProofDialog({ detail, onClose }: Props) {
  const { t } = useLingui()
  const formId = useId()
  const prepare = useAction('prepareLedgerProof', ['listLedgerProofs'])
  const [kind, setKind] = useState<Kind>('funding')
  const names: Record<Kind, string> = {
    funding: t`A deposit`,
    deployment: t`The deployment of a vault`,
    configure: t`A policy`,
    approval: t`An approval`,
  }
  const labels: Record<Field, string> = {
    signer: t`Address of the hardware wallet`,
    owner: t`Owner of the vault`,
    vault: t`Vault`,
    executor: t`Executor`,
    recipient: t`Recipient`,
    paymentIntentId: t`Payment`,
  }
  const fields: readonly Field[] = ['signer', 'owner', ...NEEDED[kind]]
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    // The service takes addresses and hashes in lower case.
    const typed = (name: Field) =>
      String(form.get(name) ?? '')
        .trim()
        .toLowerCase()
    const others = NEEDED[kind].map((name) => [name, typed(name)] as const)
    const { ok } = await prepare.run({
      path: { organizationId: detail.organization.id },
      body: {
        kind,
        signer: typed('signer'),
        owner: typed('owner'),
        ...Object.fromEntries(others.filter(([, value]) => value !== '')),
      },
    })
    if (ok) onClose()
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={<Trans>Prepare a ledger proof</Trans>}
      description={
        <Trans>
          The service writes down what the hardware wallet is to sign. Nothing is signed or sent by
          this.
        </Trans>
      }
      actions={
        <>
          <Button onClick={onClose}>
            <Trans>Cancel</Trans>
          </Button>
          <Button type="submit" form={formId} look="primary" isBusy={prepare.isBusy}>
            <Trans>Prepare</Trans>
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={submit} className="flex flex-col gap-4">
        <SelectField
          label={t`Kind`}
          value={kind}
          onChange={(event) =>
            setKind(KINDS.find((each) => each === event.target.value) ?? 'funding')
          }
          options={KINDS.map((each) => ({ value: each, label: names[each] }))}
        />
        {fields.map((name) => (
          <TextField
            key={name}
            name={name}
            label={labels[name]}
            defaultValue={defaultOf(name, detail)}
            autoComplete="off"
            spellCheck={false}
            required
          />
        ))}
        {prepare.failure && <FailureNotice failure={prepare.failure} />}
      </form>
    </Dialog>
  )
}

function defaultOf(name: Field, { treasuryVaults }: OrganizationDetail): string {
  const vault = treasuryVaults.find(({ isDefault }) => isDefault) ?? treasuryVaults[0]
  if (name === 'vault') return vault?.address ?? ''
  return name === 'owner' ? (vault?.ownerAddress ?? '') : ''
}
