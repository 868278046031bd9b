import { useRead } from '@countersign/app-kit/data/queries.ts'
import { ReadView } from '@countersign/app-kit/shell/read-view.tsx'
import { buttonStyle } from '@countersign/ui/button.tsx'
import { SelectField } from '@countersign/ui/field.tsx'
import { Empty, Page } from '@countersign/ui/page.tsx'
import { ViewRow, viewStyle } from '@countersign/ui/tabs.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { CircleCheckBig } from 'lucide-react'
import { useNews } from '../../data/operator-live.tsx'
import { CASE_PRIORITIES, CASE_SORTS, CASE_VIEWS } from '../../search.ts'
import { NewsNotice, ReadAgain } from '../../shell/read-again.tsx'
import { CasesSection } from '../../subjects/cases-section.tsx'
import { CASE_STATES, PRIORITIES } from '../../words/cases.ts'

const route = getRouteApi('/signed-in/cases')
const NUMBERS = { high: 3, medium: 2, low: 1 } as const

/** The queue of questions, the most urgent first. */
export function CasesPage() {
  const { t, i18n } = useLingui()
  const navigate = useNavigate()
  const search = route.useSearch()
  const { status = 'open', priority, sort = 'priority_desc', page = 1 } = search
  const cases = useRead('listAdminSupportCases', {
    query: { page, sort, ...(status !== 'all' && { status }), ...(priority && { priority }) },
  })
  const news = useNews(cases, ({ aggregateType }) => aggregateType === 'support_case')
  const change = (part: typeof search) =>
    void navigate({ to: '/cases', search: { ...search, page: undefined, ...part } })
  const sorts = {
    priority_desc: t`Most urgent first`,
    newest: t`Newest first`,
    oldest: t`Oldest first`,
  }
  return (
    <Page title={<Trans>Cases</Trans>} actions={<ReadAgain of={cases} />}>
      <ViewRow label={t`Status`}>
        {CASE_VIEWS.map((each) => (
          <Link
            key={each}
            to="/cases"
            search={{ ...search, status: each, page: undefined }}
            className={viewStyle(each === status)}
            aria-current={each === status ? 'page' : undefined}
          >
            {each === 'all' ? t`All` : i18n._(CASE_STATES[each].word)}
          </Link>
        ))}
      </ViewRow>
      <div className="mt-3 mb-5 grid max-w-lg grid-cols-2 gap-3">
        <SelectField
          label={t`Priority`}
          value={priority ?? ''}
          placeholder={t`Every priority`}
          onChange={(event) =>
            change({ priority: CASE_PRIORITIES.find((each) => each === event.target.value) })
          }
          options={CASE_PRIORITIES.map((each) => {
            const words = PRIORITIES[NUMBERS[each]]
            return { value: each, label: words ? i18n._(words.word) : each }
          })}
        />
        <SelectField
          label={t`Order`}
          value={sort}
          onChange={(event) =>
            change({ sort: CASE_SORTS.find((each) => each === event.target.value) })
          }
          options={CASE_SORTS.map((each) => ({ value: each, label: sorts[each] }))}
        />
      </div>
      <NewsNotice of={cases} count={news.length}>
        <Trans>A case was opened or changed since you read this.</Trans>
      </NewsNotice>
      <ReadView of={cases} lines={6}>
        {({ cases: rows, organizations, pagination }) => (
          <>
            {rows.length === 0 ? (
              <Empty
                icon={<CircleCheckBig aria-hidden="true" />}
                title={<Trans>No case in this view</Trans>}
              >
                <Trans>New cases appear under “Open”. Those you have begun are beside it.</Trans>
              </Empty>
            ) : (
              <CasesSection
                cases={rows}
                nameOf={(id) => organizations.find((one) => one.id === id)?.name}
              />
            )}
            {pagination.totalPages > 1 && (
              <nav
                aria-label={t`Pages`}
                className="mt-4 flex flex-wrap items-center justify-between gap-3"
              >
                <PageLink page={page - 1} isThere={page > 1}>
                  {t`Previous`}
                </PageLink>
                <span className="figures text-muted text-sm">
                  <Trans>
                    Page {pagination.page} of {pagination.totalPages}
                  </Trans>
                </span>
                <PageLink page={page + 1} isThere={page < pagination.totalPages}>
                  {t`Next`}
                </PageLink>
              </nav>
            )}
          </>
        )}
      </ReadView>
    </Page>
  )
}

type PageLinkProps = { page: number; isThere: boolean; children: string }

function PageLink({ page, isThere, children }: PageLinkProps) {
  const search = route.useSearch()
  if (!isThere) return <span />
  return (
    <Link to="/cases" search={{ ...search, page }} className={buttonStyle({ size: 'small' })}>
      {children}
    </Link>
  )
}
