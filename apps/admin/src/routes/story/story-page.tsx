import { useRead } from '@countersign/app-kit/data/queries.ts'
import { ReadView } from '@countersign/app-kit/shell/read-view.tsx'
import { buttonStyle } from '@countersign/ui/button.tsx'
import { Page } from '@countersign/ui/page.tsx'
import { Trans } from '@lingui/react/macro'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useNews } from '../../data/operator-live.tsx'
import { NewsNotice, ReadAgain } from '../../shell/read-again.tsx'
import { RecordedLine } from '../../shell/recorded-line.tsx'
import { StoryView } from '../../subjects/story-view.tsx'

const route = getRouteApi('/signed-in/organizations/$organizationId/payments/$paymentId')

/** Why a payment is where it is, and what follows for whom. */
export function StoryPage() {
  const { organizationId, paymentId } = route.useParams()
  const story = useRead('getAdminPayment', { path: { organizationId, paymentId } })
  const { expense, organization } = story.data ?? {}
  const news = useNews(story, ({ aggregateId }) =>
    [expense?.id, expense?.paymentId].includes(aggregateId),
  )
  return (
    <Page
      title={expense ? <bdi>{expense.revision.purpose}</bdi> : <Trans>Payment</Trans>}
      back={
        <Link
          to="/organizations/$organizationId"
          params={{ organizationId }}
          className={buttonStyle({ look: 'link', size: 'inline' })}
        >
          {organization ? <bdi>{organization.name}</bdi> : <Trans>Organization</Trans>}
        </Link>
      }
      actions={<ReadAgain of={story} />}
    >
      <RecordedLine />
      <NewsNotice of={story} count={news.length}>
        <Trans>This payment has changed since you read it.</Trans>
      </NewsNotice>
      <ReadView of={story} lines={8}>
        {(data) => <StoryView story={data} />}
      </ReadView>
    </Page>
  )
}
