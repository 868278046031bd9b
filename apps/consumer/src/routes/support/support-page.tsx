import { usePages } from '@countersign/app-kit/data/queries.ts'
import { ReadView } from '@countersign/app-kit/shell/read-view.tsx'
import type { ItemOf } from '@countersign/client/operation-types.ts'
import { Button } from '@countersign/ui/button.tsx'
import { Mark } from '@countersign/ui/mark.tsx'
import { Moment } from '@countersign/ui/moment.tsx'
import { Card, Empty, Page } from '@countersign/ui/page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { LifeBuoy, Plus } from 'lucide-react'
import { useState } from 'react'
import { useOrganization } from '../../data/organization.tsx'
import { useRowKeys } from '../../shell/use-row-keys.ts'
import { CASE_STATES } from '../../words/support.ts'
import { NewCaseDialog } from './new-case-dialog.tsx'

const route = getRouteApi('/signed-in/organizations/$organizationId/support')

export function SupportPage() {
  const { t } = useLingui()
  const about = route.useSearch()
  const navigate = useNavigate()
  const { id: organizationId, role } = useOrganization()
  const path = { organizationId }
  const cases = usePages('listSupportCases', 'cases', { path })
  const list = useRowKeys()
  // A link from an expense, a payment or an error opens the form at once.
  const [isNew, setNew] = useState(Boolean(about.expense || about.payment || about.request))
  const close = () => {
    setNew(false)
    void navigate({
      to: '/organizations/$organizationId/support',
      params: path,
      search: {},
      replace: true,
    })
  }
  const open = (
    <Button look="primary" onClick={() => setNew(true)}>
      <Plus className="size-4" aria-hidden="true" />
      <Trans>New case</Trans>
    </Button>
  )
  return (
    <Page
      title={<Trans>Support</Trans>}
      lead={
        role === 'owner' ? (
          <Trans>Your cases and those of your organization.</Trans>
        ) : (
          <Trans>The cases that you opened. Owners see them, too.</Trans>
        )
      }
      actions={open}
    >
      <ReadView of={cases}>
        {() =>
          cases.rows.length === 0 ? (
            <Empty
              icon={<LifeBuoy aria-hidden="true" />}
              title={<Trans>No support cases yet</Trans>}
              action={open}
            >
              <Trans>If something looks wrong, write to the people who run this service.</Trans>
            </Empty>
          ) : (
            <>
              <Card isFlush>
                <div ref={list}>
                  <ul aria-label={t`Support cases`} className="divide-y divide-line">
                    {cases.rows.map((each) => (
                      <CaseRow key={each.id} supportCase={each} />
                    ))}
                  </ul>
                </div>
              </Card>
              {cases.hasNextPage && (
                <div className="mt-4">
                  <Button
                    isBusy={cases.isFetchingNextPage}
                    onClick={() => void cases.fetchNextPage()}
                  >
                    <Trans>Show older</Trans>
                  </Button>
                </div>
              )}
            </>
          )
        }
      </ReadView>
      {isNew && <NewCaseDialog about={about} onClose={close} />}
    </Page>
  )
}

function CaseRow({ supportCase }: { supportCase: ItemOf<'listSupportCases'> }) {
  const { i18n } = useLingui()
  const { kind, word } = CASE_STATES[supportCase.status]
  return (
    <li className="relative flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3 hover:bg-hover sm:px-5">
      <div className="min-w-0 flex-1 basis-64">
        <Link
          to="/organizations/$organizationId/support-cases/$caseId"
          params={{ organizationId: supportCase.organizationId, caseId: supportCase.id }}
          data-row
          className="font-medium outline-offset-4 after:absolute after:inset-0"
        >
          <bdi className="line-clamp-2">{supportCase.subject}</bdi>
        </Link>
        {supportCase.displayName && (
          <p className="truncate text-muted text-sm">
            <bdi>{supportCase.displayName}</bdi>
          </p>
        )}
      </div>
      <Mark kind={kind}>{i18n._(word)}</Mark>
      <span className="text-muted text-sm">
        <Moment at={supportCase.updatedAt} />
      </span>
    </li>
  )
}
