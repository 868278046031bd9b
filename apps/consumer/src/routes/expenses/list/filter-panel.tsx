import { useAllPages } from '@countersign/app-kit/data/all-pages.ts'
import { useRead } from '@countersign/app-kit/data/queries.ts'
import { ComboboxField } from '@countersign/ui/combobox.tsx'
import { SelectField, TextField } from '@countersign/ui/field.tsx'
import { useLingui } from '@lingui/react/macro'
import { useOrganization } from '../../../data/organization.tsx'
import { usePeople } from '../../../data/people.ts'
import { AmountFilter } from './amount-filter.tsx'
import { DEFAULT_VIEW, type Search, stateChoicesIn } from './filters.ts'
import { wordOfChoice } from './state-words.ts'

type Props = { search: Search; onChange(change: Partial<Search>): void }

export function FilterPanel({ search, onChange }: Props) {
  const { t, i18n } = useLingui()
  const { id: organizationId } = useOrganization()
  const { members, nameOf } = usePeople()
  const path = { organizationId }
  const recipients = useAllPages('listRecipients', 'recipients', {
    path,
  }).rows
  const categories = useRead('listCategories', { path }).data?.categories ?? []
  const view = search.view ?? DEFAULT_VIEW
  return (
    <div className="grid grid-cols-1 gap-3 rounded-lg border border-line bg-surface p-4 sm:grid-cols-2">
      <SelectField
        label={t`State`}
        value={search.state ?? ''}
        placeholder={t`Any`}
        options={stateChoicesIn(view).map((value) => ({
          value,
          label: i18n._(wordOfChoice(value)),
        }))}
        onChange={({ target }) => onChange({ state: target.value || undefined })}
      />
      <SelectField
        label={t`Category`}
        value={search.category ?? ''}
        placeholder={t`Any`}
        options={categories.map(({ code, name }) => ({
          value: code,
          label: `${name} (${code})`,
          isName: true,
        }))}
        onChange={({ target }) => onChange({ category: target.value || undefined })}
      />
      <ComboboxField
        label={t`Recipient`}
        placeholder={t`Any`}
        value={search.recipient ?? null}
        options={recipients.map(({ id, label }) => ({ value: id, label, isName: true }))}
        onChange={(value) => onChange({ recipient: value ?? undefined })}
      />
      <ComboboxField
        label={t`Submitter`}
        placeholder={t`Any`}
        value={search.submitter ?? null}
        options={members.map(({ accountId }) => ({
          value: accountId,
          label: nameOf(accountId),
          isName: true,
        }))}
        onChange={(value) =>
          onChange({ submitter: value ?? undefined, ...(view === 'mine' && { view: undefined }) })
        }
      />
      <AmountFilter
        label={t`Amount from`}
        value={search.min}
        onChange={(min) => onChange({ min })}
      />
      <AmountFilter label={t`Amount to`} value={search.max} onChange={(max) => onChange({ max })} />
      <TextField
        label={t`Created from`}
        type="date"
        value={search.from ?? ''}
        max={search.to}
        onChange={({ target }) => onChange({ from: target.value || undefined })}
      />
      <TextField
        label={t`Created to`}
        type="date"
        value={search.to ?? ''}
        min={search.from}
        onChange={({ target }) => onChange({ to: target.value || undefined })}
      />
    </div>
  )
}
