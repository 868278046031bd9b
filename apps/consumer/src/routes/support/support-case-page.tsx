import { useAction } from '@countersign/app-kit/data/actions.ts'
import { useRead } from '@countersign/app-kit/data/queries.ts'
import { FailureNotice } from '@countersign/app-kit/shell/failure-notice.tsx'
import { ReadView } from '@countersign/app-kit/shell/read-view.tsx'
import type { DataOf } from '@countersign/client/operation-types.ts'
import { Button, buttonStyle } from '@countersign/ui/button.tsx'
import { classes } from '@countersign/ui/classes.ts'
import { TextArea } from '@countersign/ui/field.tsx'
import { Mark } from '@countersign/ui/mark.tsx'
import { Moment } from '@countersign/ui/moment.tsx'
import { Card, Page, Section } from '@countersign/ui/page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { getRouteApi, Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useOrganization } from '../../data/organization.tsx'
import { CASE_STATES } from '../../words/support.ts'

const route = getRouteApi('/signed-in/organizations/$organizationId/support-cases/$caseId')

type SupportCase = DataOf<'getSupportCase'>

/** A case with its messages. Answers appear by themselves. */
export function SupportCasePage() {
  const { organizationId, caseId } = route.useParams()
  const supportCase = useRead('getSupportCase', { path: { organizationId, caseId } })
  return (
    <Page
      width="reading"
      title={supportCase.data ? <bdi>{supportCase.data.subject}</bdi> : <Trans>Support case</Trans>}
      back={
        <Link
          to="/organizations/$organizationId/support"
          params={{ organizationId }}
          className={buttonStyle({ look: 'link', size: 'inline' })}
        >
          <Trans>Support</Trans>
        </Link>
      }
    >
      <ReadView of={supportCase}>{(data) => <CaseView supportCase={data} />}</ReadView>
    </Page>
  )
}

function CaseView({ supportCase }: { supportCase: SupportCase }) {
  const { t, i18n } = useLingui()
  const { id: organizationId, accountId } = useOrganization()
  const { status, expenseId, paymentIntentId, messages } = supportCase
  const { kind, word } = CASE_STATES[status]
  return (
    <>
      <div className="mb-5 flex flex-wrap items-center gap-x-4 gap-y-2 text-sm">
        <Mark kind={kind}>{i18n._(word)}</Mark>
        <span className="text-muted">
          <Trans>
            opened <Moment at={supportCase.createdAt} style="full" />
          </Trans>
        </span>
        {expenseId && (
          <Link
            to="/organizations/$organizationId/expenses/$expenseId"
            params={{ organizationId, expenseId }}
            className={buttonStyle({ look: 'link', size: 'inline' })}
          >
            <Trans>The expense</Trans>
          </Link>
        )}
        {paymentIntentId && (
          <Link
            to="/organizations/$organizationId/payments/$paymentId"
            params={{ organizationId, paymentId: paymentIntentId }}
            className={buttonStyle({ look: 'link', size: 'inline' })}
          >
            <Trans>The payment</Trans>
          </Link>
        )}
      </div>
      <Section title={<Trans>Messages</Trans>}>
        <div aria-live="polite">
          {messages.length === 0 && (
            <p className="text-muted">
              <Trans>No message yet. Say more below, if it helps.</Trans>
            </p>
          )}
          <ol aria-label={t`Messages`} className="flex flex-col gap-3">
            {messages.map((message) => {
              const isSupport = message.author === 'support'
              const isMine = message.accountId === accountId
              return (
                <li
                  key={message.id}
                  className={classes(
                    'max-w-[92%] rounded-lg border px-4 py-3',
                    isSupport
                      ? 'self-start border-line bg-surface'
                      : 'self-end border-transparent bg-accent-soft',
                  )}
                >
                  <p className="flex flex-wrap items-baseline justify-between gap-x-4 text-sm">
                    <span className="font-medium">
                      {isSupport ? (
                        <Trans>Support</Trans>
                      ) : isMine ? (
                        <Trans>You</Trans>
                      ) : (
                        <bdi>{message.displayName ?? t`A member`}</bdi>
                      )}
                    </span>
                    <span className="text-muted">
                      <Moment at={message.createdAt} />
                    </span>
                  </p>
                  <p className="mt-1 whitespace-pre-wrap break-words">
                    <bdi>{message.body}</bdi>
                  </p>
                </li>
              )
            })}
          </ol>
        </div>
      </Section>
      <div className="mt-5">
        <Answer supportCase={supportCase} />
      </div>
    </>
  )
}

function Answer({ supportCase }: { supportCase: SupportCase }) {
  const { t } = useLingui()
  const { id: organizationId, config } = useOrganization()
  const add = useAction('addSupportMessage', ['getSupportCase', 'listSupportCases'])
  const [body, setBody] = useState('')
  const isResolved = supportCase.status === 'resolved'
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const path = { organizationId, caseId: supportCase.id }
    if ((await add.run({ path, body: { body: body.trim() } })).ok) setBody('')
  }
  return (
    <Card>
      <form onSubmit={submit} className="flex flex-col gap-3">
        <TextArea
          label={t`Write a message`}
          hint={isResolved ? t`The case is resolved. A message opens it again.` : undefined}
          value={body}
          onChange={(event) => setBody(event.target.value)}
          maxLength={config.limits.lengths.comment}
        />
        {add.failure && <FailureNotice failure={add.failure} />}
        <div>
          <Button type="submit" look="primary" isBusy={add.isBusy} isDisabled={body.trim() === ''}>
            <Trans>Send</Trans>
          </Button>
        </div>
      </form>
    </Card>
  )
}
