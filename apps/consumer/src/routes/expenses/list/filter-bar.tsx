import { Button } from '@countersign/ui/button.tsx'
import { Count } from '@countersign/ui/tabs.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import { Download, ListFilter } from 'lucide-react'
import { useState } from 'react'
import { isOwnerOrManager, useOrganization } from '../../../data/organization.tsx'
import { usePeople } from '../../../data/people.ts'
import { ExportDialog } from './export-dialog.tsx'
import { FilterPanel } from './filter-panel.tsx'
import { filtersIn, type Query, type Search } from './filters.ts'
import { SearchBox } from './search-box.tsx'

type Props = {
  search: Search
  query: Query
  /** How often the filters were reset: the panel drops what was typed into it. */
  resets: number
  onReset(): void
}

/** Words always in sight; the rest behind a button that says how many are set. */
export function FilterBar({ search, query, resets, onReset }: Props) {
  const { t } = useLingui()
  const navigate = useNavigate()
  const organization = useOrganization()
  const { members, anyOf } = usePeople()
  const [isOpen, setOpen] = useState(false)
  const [isExporting, setExporting] = useState(false)
  const others = filtersIn(search).filter((name) => name !== 'q').length
  const change = (about: Partial<Search>) =>
    void navigate({
      to: '/organizations/$organizationId/expenses',
      params: { organizationId: organization.id },
      search: { ...search, ...about },
      replace: true,
      resetScroll: false,
    })
  const managers = members.filter(
    (member) => member.status === 'active' && isOwnerOrManager(member),
  )
  const noExport = isOwnerOrManager(organization)
    ? undefined
    : t`Owners and managers export. Ask ${anyOf(managers.map(({ accountId }) => accountId))}.`
  return (
    <div className="flex flex-col gap-3">
      <div className="flex gap-2">
        <div className="min-w-0 flex-1">
          <SearchBox words={search.q ?? ''} onChange={(q) => change({ q: q || undefined })} />
        </div>
        <Button
          onClick={() => setOpen(!isOpen)}
          aria-expanded={isOpen}
          aria-label={t`Filters, ${others} set`}
        >
          <ListFilter className="size-4" aria-hidden="true" />
          <span className="max-sm:sr-only">
            <Trans>Filters</Trans>
          </span>
          {others > 0 && <Count>{others}</Count>}
        </Button>
        <Button
          onClick={() => setExporting(true)}
          reason={noExport}
          aria-label={t`Export CSV`}
          size="icon"
        >
          <Download className="size-4" aria-hidden="true" />
        </Button>
      </div>
      {isOpen && <FilterPanel key={resets} search={search} onChange={change} />}
      {filtersIn(search).length > 0 && (
        <div className="flex items-center justify-between gap-3 text-sm">
          <span className="text-muted">
            <Trans>Only what matches the filters is listed.</Trans>
          </span>
          <ResetFilters search={search} onReset={onReset} />
        </div>
      )}
      {isExporting && (
        <ExportDialog search={search} query={query} onClose={() => setExporting(false)} />
      )}
    </div>
  )
}

/** Keeps the view. */
export function ResetFilters({ search, onReset }: Pick<Props, 'search' | 'onReset'>) {
  const navigate = useNavigate()
  const { id: organizationId } = useOrganization()
  return (
    <Button
      size="small"
      onClick={() => {
        onReset()
        void navigate({
          to: '/organizations/$organizationId/expenses',
          params: { organizationId },
          search: { view: search.view },
          replace: true,
        })
      }}
    >
      <Trans>Reset filters</Trans>
    </Button>
  )
}
