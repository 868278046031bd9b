import { useRead } from '@countersign/app-kit/data/queries.ts'
import { SelectField, TextArea, TextField } from '@countersign/ui/field.tsx'
import { Money } from '@countersign/ui/money.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { useOrganization } from '../../../data/organization.tsx'
import { CalendarDay } from '../calendar-day.tsx'
import type { Recipient, Revision, Vault } from '../expense-types.ts'
import { useVaultName } from '../use-vault-name.ts'
import { AmountField } from './amount-field.tsx'
import { AttachmentsField } from './attachments-field.tsx'
import { ModeField } from './mode-field.tsx'
import { useProblemText } from './problem-text.ts'
import { RecipientField } from './recipient-field.tsx'
import type { useUploads } from './use-uploads.ts'
import type { Problems, Terms, Values } from './values.ts'
import { Was } from './was.tsx'
import { WhatHappens } from './what-happens.tsx'

type Props = {
  values: Values
  onChange(about: Partial<Values>): void
  problems: Problems
  recipients: readonly Recipient[]
  vaults: readonly { id: string; label: string }[]
  vault: Vault | undefined
  uploads: ReturnType<typeof useUploads>
  /** The revision that is being revised: changed fields say what they were. */
  before?: Revision | undefined
  /** What the fields amount to, once they are complete. */
  terms: Terms | null
}

export function ExpenseFields(props: Props) {
  const { values, onChange, problems, recipients, vaults, vault, uploads, before, terms } = props
  const { t } = useLingui()
  const { id: organizationId, config } = useOrganization()
  const text = useProblemText()
  const categories = useRead('listCategories', { path: { organizationId } }).data?.categories ?? []
  const recipient = recipients.find(({ id }) => id === values.recipientId)
  const none = t`none`
  const noDay = t({ message: 'none', context: 'day' })
  const vaultName = useVaultName()
  const idsOf = (files: readonly { id: string }[] = []) => files.map(({ id }) => id).join()
  return (
    <>
      <TextArea
        label={t`What is it for?`}
        hint={t`Say what, for whom, and why. It is what people will read later.`}
        maxLength={config.limits.lengths.expensePurpose}
        value={values.purpose}
        problem={text(problems.purpose)}
        note={<Was isChanged={before && before.purpose !== values.purpose.trim()} />}
        onChange={({ target }) => onChange({ purpose: target.value })}
      />
      <RecipientField
        recipients={recipients}
        value={values.recipientId}
        vault={vault}
        problem={text(problems.recipient)}
        note={
          <Was isChanged={before && before.recipientId !== values.recipientId}>
            <bdi>{before?.recipientLabel}</bdi>
          </Was>
        }
        onChange={(recipientId) => onChange({ recipientId })}
      />
      <AmountField
        value={values.amount}
        vault={vault}
        problem={text(problems.amount)}
        note={
          before && (
            <Was isChanged={terms === null || terms.amountBaseUnits !== before.amountBaseUnits}>
              <Money baseUnits={before.amountBaseUnits} />
            </Was>
          )
        }
        onChange={(amount) => onChange({ amount })}
      />
      <SelectField
        label={t`From which vault?`}
        value={values.vaultId ?? ''}
        problem={text(problems.vault)}
        placeholder={values.vaultId ? undefined : t`Choose a vault`}
        note={
          <Was isChanged={before && before.vaultId !== values.vaultId}>
            <bdi>{before && vaultName(before.vaultId)}</bdi>
          </Was>
        }
        options={vaults.map(({ id, label }) => ({ value: id, label, isName: true }))}
        hint={
          vault?.availableBaseUnits ? (
            <Trans>
              <Money baseUnits={vault.availableBaseUnits} /> can be spent now
            </Trans>
          ) : undefined
        }
        onChange={({ target }) => onChange({ vaultId: target.value || null })}
      />
      <ModeField
        mode={values.mode}
        amount={values.amount}
        vault={vault}
        note={<Was isChanged={before && before.requestedMode !== values.mode} />}
        onChange={(mode) => onChange({ mode })}
      />
      <div className="grid gap-5 sm:grid-cols-3">
        <SelectField
          label={t`Category`}
          value={values.category}
          placeholder={t`None`}
          options={categories.map(({ code, name }) => ({ value: code, label: name, isName: true }))}
          note={
            <Was isChanged={before && (before.category ?? '') !== values.category}>
              <bdi>{before?.categoryName ?? none}</bdi>
            </Was>
          }
          onChange={({ target }) => onChange({ category: target.value })}
        />
        <TextField
          label={t`Reference`}
          placeholder={t`Invoice number`}
          autoComplete="off"
          maxLength={100}
          value={values.reference}
          problem={text(problems.reference)}
          note={
            <Was isChanged={before && (before.reference ?? '') !== values.reference.trim()}>
              <bdi>{before?.reference ?? none}</bdi>
            </Was>
          }
          onChange={({ target }) => onChange({ reference: target.value })}
        />
        <TextField
          label={t`Due`}
          type="date"
          min="2000-01-01"
          max="2099-12-31"
          value={values.dueDate}
          note={
            <Was isChanged={before && (before.dueDate ?? '') !== values.dueDate}>
              {before?.dueDate ? <CalendarDay day={before.dueDate} /> : noDay}
            </Was>
          }
          onChange={({ target }) => onChange({ dueDate: target.value })}
        />
      </div>
      <AttachmentsField
        files={values.attachments}
        uploads={uploads}
        note={<Was isChanged={before && idsOf(before.attachments) !== idsOf(values.attachments)} />}
        onRemove={(id) =>
          onChange({ attachments: values.attachments.filter((file) => file.id !== id) })
        }
      />
      <WhatHappens mode={values.mode} recipient={recipient} vault={vault} amount={values.amount} />
    </>
  )
}
