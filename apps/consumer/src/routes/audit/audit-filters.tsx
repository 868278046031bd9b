import { useAllPages } from '@countersign/app-kit/data/all-pages.ts'
import { nameOf } from '@countersign/app-kit/words/people.ts'
import { Button } from '@countersign/ui/button.tsx'
import { SelectField, TextField } from '@countersign/ui/field.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import { useOrganization } from '../../data/organization.tsx'

export type AuditSearch = {
  actor?: string | undefined
  action?: string | undefined
  about?: string | undefined
  from?: string | undefined
  to?: string | undefined
}

/** The filters live in the address, so that a view of the trail can be passed on. */
export function AuditFilters({ search }: { search: AuditSearch }) {
  const { t } = useLingui()
  const navigate = useNavigate()
  const { id: organizationId } = useOrganization()
  const members = useAllPages('listMembers', 'members', { path: { organizationId } })
  const change = (part: AuditSearch) =>
    void navigate({
      to: '/organizations/$organizationId/audit',
      params: { organizationId },
      search: { ...search, ...part },
      replace: true,
    })
  const isFiltered = Object.values(search).some(Boolean)
  return (
    <details className="mb-4" open={isFiltered || undefined}>
      <summary className="press inline-flex h-9 cursor-pointer items-center rounded-md px-3 text-accent text-sm hover:bg-hover">
        <Trans>Filter</Trans>
      </summary>
      <div className="mt-2 grid items-end gap-3 sm:grid-cols-2 lg:grid-cols-5">
        <SelectField
          label={t`Who`}
          value={search.actor ?? ''}
          placeholder={t`Everyone`}
          onChange={(event) => change({ actor: event.target.value || undefined })}
          options={members.rows.map((member) => ({
            value: member.accountId,
            label: nameOf(member),
            isName: true,
          }))}
        />
        <TextField
          label={t`Action`}
          translate="no"
          placeholder="expense.created"
          key={`action ${search.action ?? ''}`}
          defaultValue={search.action ?? ''}
          onBlur={(event) => change({ action: event.target.value.trim() || undefined })}
          onKeyDown={(event) => event.key === 'Enter' && event.currentTarget.blur()}
          autoComplete="off"
          spellCheck={false}
        />
        <TextField
          label={t`Object ID`}
          key={`about ${search.about ?? ''}`}
          defaultValue={search.about ?? ''}
          onBlur={(event) => change({ about: event.target.value.trim() || undefined })}
          onKeyDown={(event) => event.key === 'Enter' && event.currentTarget.blur()}
          autoComplete="off"
          spellCheck={false}
        />
        <TextField
          type="date"
          label={t`From (UTC)`}
          value={search.from ?? ''}
          onChange={(event) => change({ from: event.target.value || undefined })}
        />
        <TextField
          type="date"
          label={t`Until (UTC)`}
          value={search.to ?? ''}
          onChange={(event) => change({ to: event.target.value || undefined })}
        />
        {isFiltered && (
          <div>
            <Button
              size="small"
              look="quiet"
              onClick={() =>
                change({
                  actor: undefined,
                  action: undefined,
                  about: undefined,
                  from: undefined,
                  to: undefined,
                })
              }
            >
              <Trans>Show everything</Trans>
            </Button>
          </div>
        )}
      </div>
    </details>
  )
}
