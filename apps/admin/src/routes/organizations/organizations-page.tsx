import { usePages } from '@countersign/app-kit/data/queries.ts'
import { ReadView } from '@countersign/app-kit/shell/read-view.tsx'
import { Button } from '@countersign/ui/button.tsx'
import { TextField } from '@countersign/ui/field.tsx'
import { Card, Empty, Page } from '@countersign/ui/page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { SearchX } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { OrganizationRow } from './organization-row.tsx'

const route = getRouteApi('/signed-in/organizations')

export function OrganizationsPage() {
  const { t } = useLingui()
  const { q = '' } = route.useSearch()
  const found = usePages('listAdminOrganizations', 'organizations', { query: q ? { q } : {} })
  return (
    <Page
      title={<Trans>Organizations</Trans>}
      lead={
        <Trans>
          Searches are recorded in the service's audit trail, with what was searched for.
        </Trans>
      }
    >
      <SearchForm key={q} q={q} />
      <div className="mt-6">
        <ReadView of={found} lines={6}>
          {() =>
            found.rows.length === 0 ? (
              <Empty icon={<SearchX aria-hidden="true" />} title={<Trans>Nothing was found</Trans>}>
                <Trans>
                  A part of the name is enough. Ids, addresses and hashes have to be whole.
                </Trans>
              </Empty>
            ) : (
              <Card isFlush>
                <ul aria-label={t`Organizations`} className="divide-y divide-line">
                  {found.rows.map((organization) => (
                    <OrganizationRow key={organization.id} organization={organization} about={q} />
                  ))}
                </ul>
              </Card>
            )
          }
        </ReadView>
        {found.hasNextPage && (
          <div className="mt-4 flex justify-center">
            <Button isBusy={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
              <Trans>Show more</Trans>
            </Button>
          </div>
        )}
      </div>
    </Page>
  )
}

function SearchForm({ q }: { q: string }) {
  const { t } = useLingui()
  const navigate = useNavigate()
  const [typed, setTyped] = useState(q)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const words = typed.trim()
    void navigate({ to: '/organizations', search: words ? { q: words } : {} })
  }
  return (
    <form onSubmit={submit} className="flex flex-wrap items-end gap-2">
      <div className="min-w-0 flex-1 basis-64">
        <TextField
          type="search"
          enterKeyHint="search"
          label={t`What the customer told you`}
          hint={t`A part of the name, or a whole id of an expense, payment or case, an address, or a transaction hash`}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          maxLength={100}
          autoComplete="off"
          spellCheck={false}
        />
      </div>
      <div className="sm:mb-6.5">
        <Button type="submit" look="primary">
          <Trans>Search</Trans>
        </Button>
      </div>
    </form>
  )
}
