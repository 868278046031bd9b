import { useRead } from '@countersign/app-kit/data/queries.ts'
import { ReadView } from '@countersign/app-kit/shell/read-view.tsx'
import { buttonStyle } from '@countersign/ui/button.tsx'
import { Page } from '@countersign/ui/page.tsx'
import { Count, ViewRow, viewStyle } from '@countersign/ui/tabs.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useEnvironment, useNews } from '../../data/operator-live.tsx'
import type { OrganizationDetail } from '../../data/organization-detail.ts'
import { SECTIONS, type SectionId } from '../../search.ts'
import { NewsNotice, ReadAgain } from '../../shell/read-again.tsx'
import { RecordedLine } from '../../shell/recorded-line.tsx'
import { CasesSection } from '../../subjects/cases-section.tsx'
import { TrailSection } from '../../subjects/trail-section.tsx'
import { AboutNotice } from './about-notice.tsx'
import { AnalysesSection, ApprovalsSection } from './approvals-section.tsx'
import { ExecutorSection } from './executor-section.tsx'
import { ExpensesSection } from './expenses-section.tsx'
import { PaymentsSection } from './payments-section.tsx'
import { PeopleSection } from './people-section.tsx'
import { ProofsSection } from './proofs/proofs-section.tsx'
import { countOf, SECTION_NAMES } from './sections.ts'
import { SummarySection } from './summary-section.tsx'
import { VaultsSection } from './vaults-section.tsx'

const route = getRouteApi('/signed-in/organizations/$organizationId')

/** Everything an operator may see of one customer, from one read. */
export function OrganizationPage() {
  const { organizationId } = route.useParams()
  const detail = useRead('getAdminOrganization', { path: { organizationId } })
  const news = useNews(detail, (event) => event.organizationId === organizationId)
  return (
    <Page
      title={detail.data ? <bdi>{detail.data.organization.name}</bdi> : <Trans>Organization</Trans>}
      back={
        <Link to="/organizations" className={buttonStyle({ look: 'link', size: 'inline' })}>
          <Trans>Organizations</Trans>
        </Link>
      }
      actions={<ReadAgain of={detail} />}
    >
      <RecordedLine />
      <NewsNotice of={detail} count={news.length}>
        <Trans>Something has changed in this organization since you read it.</Trans>
      </NewsNotice>
      <ReadView of={detail} lines={8}>
        {(data) => <Sections detail={data} />}
      </ReadView>
    </Page>
  )
}

function Sections({ detail }: { detail: OrganizationDetail }) {
  const { t, i18n } = useLingui()
  const { section = 'summary', about } = route.useSearch()
  const { id: organizationId } = detail.organization
  const environment = useEnvironment()
  const shown = SECTIONS.filter((id) => id !== 'proofs' || environment !== 'production')
  const counted = countOf(detail, section)
  return (
    <>
      {about && <AboutNotice detail={detail} about={about} />}
      <ViewRow label={t`Sections`}>
        {shown.map((id) => {
          const own = countOf(detail, id)
          return (
            <Link
              key={id}
              to="/organizations/$organizationId"
              params={{ organizationId }}
              search={{ section: id }}
              className={viewStyle(id === section)}
              aria-current={id === section ? 'page' : undefined}
              resetScroll={false}
            >
              {i18n._(SECTION_NAMES[id])}
              {own && <Count>{own.isCutOff ? `${own.count}+` : own.count}</Count>}
            </Link>
          )
        })}
      </ViewRow>
      <div className="mt-4">
        {counted?.isCutOff && (
          <p className="mb-3 text-sm text-warn">
            <Trans>
              Cut off: only the newest {counted.count} are shown. Search for an id or hash to find
              an older one.
            </Trans>
          </p>
        )}
        <SectionView section={section} detail={detail} />
      </div>
    </>
  )
}

function SectionView({ section, detail }: { section: SectionId; detail: OrganizationDetail }) {
  switch (section) {
    case 'summary':
      return <SummarySection detail={detail} />
    case 'payments':
      return <PaymentsSection detail={detail} />
    case 'expenses':
      return <ExpensesSection detail={detail} />
    case 'approvals':
      return <ApprovalsSection detail={detail} />
    case 'analyses':
      return <AnalysesSection detail={detail} />
    case 'people':
      return <PeopleSection detail={detail} />
    case 'vaults':
      return <VaultsSection detail={detail} />
    case 'executor':
      return <ExecutorSection organizationId={detail.organization.id} />
    case 'cases':
      return <CasesSection cases={detail.supportCases} />
    case 'trail':
      return <TrailSection events={detail.auditEvents} />
    case 'proofs':
      return <ProofsSection detail={detail} />
  }
}
