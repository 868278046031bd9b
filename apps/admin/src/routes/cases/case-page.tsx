import { useRead } from '@countersign/app-kit/data/queries.ts'
import { ReadView } from '@countersign/app-kit/shell/read-view.tsx'
import type { DataOf } from '@countersign/client/operation-types.ts'
import { buttonStyle } from '@countersign/ui/button.tsx'
import { Moment } from '@countersign/ui/moment.tsx'
import { Page } from '@countersign/ui/page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useNews } from '../../data/operator-live.tsx'
import { NewsNotice, ReadAgain } from '../../shell/read-again.tsx'
import { RecordedLine } from '../../shell/recorded-line.tsx'
import { CaseMark, PriorityMark } from '../../words/case-marks.tsx'
import { AnswerForm } from './answer-form.tsx'
import { CaseSubject } from './case-subject.tsx'
import { Conversation } from './conversation-list.tsx'

const route = getRouteApi('/signed-in/cases/$caseId')

type Note = DataOf<'addSupportNote'>

/** A question, what was said about it, and beside it what it is about. */
export function CasePage() {
  const { caseId } = route.useParams()
  const supportCase = useRead('getAdminSupportCase', { path: { caseId } })
  const [sent, setSent] = useState<Note | null>(null)
  const news = useNews(
    supportCase,
    ({ aggregateId }) => aggregateId === caseId,
    sent?.supportCaseId === caseId ? sent.createdAt : undefined,
  )
  return (
    <Page
      title={supportCase.data ? <bdi>{supportCase.data.subject}</bdi> : <Trans>Case</Trans>}
      back={
        <Link to="/cases" className={buttonStyle({ look: 'link', size: 'inline' })}>
          <Trans>Cases</Trans>
        </Link>
      }
      actions={<ReadAgain of={supportCase} />}
    >
      <RecordedLine />
      <NewsNotice of={supportCase} count={news.length}>
        <Trans>Something was written or changed since you read this.</Trans>
      </NewsNotice>
      <ReadView of={supportCase} lines={6}>
        {(data) => <CaseView supportCase={data} onSent={setSent} />}
      </ReadView>
    </Page>
  )
}

type ViewProps = { supportCase: DataOf<'getAdminSupportCase'>; onSent(note: Note): void }

function CaseView({ supportCase, onSent }: ViewProps) {
  const { t } = useLingui()
  const { organizationId, organizationName, displayName, status, priority } = supportCase
  const subjectId = supportCase.paymentIntentId ?? supportCase.expenseId
  return (
    <>
      <div className="mb-5 flex flex-wrap items-center gap-x-3 gap-y-2 text-sm">
        <CaseMark status={status} />
        <PriorityMark priority={priority} />
        <span className="text-muted">
          <Trans>
            <bdi>{displayName ?? t`A member`}</bdi> of{' '}
            <Link
              to="/organizations/$organizationId"
              params={{ organizationId }}
              className="text-accent underline-offset-4 hover:underline"
            >
              <bdi>{organizationName}</bdi>
            </Link>
            , <Moment at={supportCase.createdAt} style="full" />
          </Trans>
        </span>
      </div>
      <div className="grid gap-6 xl:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-6">
          <Conversation supportCase={supportCase} />
          <AnswerForm supportCase={supportCase} onSent={onSent} />
        </div>
        <div className="min-w-0">
          <CaseSubject organizationId={organizationId} paymentId={subjectId} />
        </div>
      </div>
    </>
  )
}
