import { useAction } from '@countersign/app-kit/data/actions.ts'
import { failureOf } from '@countersign/app-kit/data/api.ts'
import { usePages } from '@countersign/app-kit/data/queries.ts'
import { FailureNotice } from '@countersign/app-kit/shell/failure-notice.tsx'
import { Button } from '@countersign/ui/button.tsx'
import { TextArea } from '@countersign/ui/field.tsx'
import { Moment } from '@countersign/ui/moment.tsx'
import { Section } from '@countersign/ui/page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { type FormEvent, useState } from 'react'
import { useOrganization } from '../../../data/organization.tsx'
import { usePeople } from '../../../data/people.ts'
import type { Expense } from '../expense-types.ts'
import { mayComment } from './may-comment.ts'

type Comment = Expense['comments'][number]

/** Shown oldest first, as a conversation is read. */
function CommentList({ newestFirst }: { newestFirst: readonly Comment[] }) {
  const { nameOf } = usePeople()
  if (newestFirst.length === 0) return null
  return (
    <ul className="mb-4 flex flex-col gap-3">
      {newestFirst.toReversed().map(({ id, authorAccountId, displayName, body, createdAt }) => (
        <li key={id} className="rounded-md bg-sunken px-4 py-2.5">
          <p className="flex justify-between gap-3 text-sm">
            <bdi className="font-medium">{nameOf(authorAccountId, displayName)}</bdi>
            <span className="text-muted">
              <Moment at={createdAt} />
            </span>
          </p>
          <p className="whitespace-pre-line break-words">
            <bdi>{body}</bdi>
          </p>
        </li>
      ))}
    </ul>
  )
}

type Older = { expenseId: string; cursor: string }

function OlderComments(older: Older) {
  const [isOpen, setOpen] = useState(false)
  if (isOpen) return <OlderPages {...older} />
  return (
    <div className="mb-3">
      <Button size="small" onClick={() => setOpen(true)}>
        <Trans>Show older comments</Trans>
      </Button>
    </div>
  )
}

function OlderPages({ expenseId, cursor }: Older) {
  const { id: organizationId } = useOrganization()
  const path = { organizationId, expenseId }
  const pages = usePages('listComments', 'comments', { path, query: { limit: 50, cursor } })
  const failure = failureOf(pages.error)
  return (
    <>
      {failure && <FailureNotice failure={failure} onRetry={() => void pages.refetch()} />}
      {pages.hasNextPage && (
        <div className="mb-3">
          <Button
            size="small"
            isBusy={pages.isFetchingNextPage}
            onClick={() => void pages.fetchNextPage()}
          >
            <Trans>Show older comments</Trans>
          </Button>
        </div>
      )}
      <CommentList newestFirst={pages.rows} />
    </>
  )
}

export function Comments({ expense }: { expense: Expense }) {
  const { t } = useLingui()
  const { id: organizationId, config, role, accountId } = useOrganization()
  const isAllowed = mayComment(expense, { role, accountId })
  const comment = useAction('commentOnExpense', ['getExpense'])
  const [text, setText] = useState('')
  const send = async (event: FormEvent) => {
    event.preventDefault()
    const body = text.trim()
    if (body === '' || !isAllowed) return
    const done = await comment.run({
      path: { organizationId, expenseId: expense.id },
      body: { body },
    })
    if (done.ok) setText('')
  }
  const { commentsNextCursor: cursor } = expense
  const count = cursor ? `${expense.comments.length}+` : expense.comments.length || undefined
  return (
    <Section title={<Trans>Comments</Trans>} note={count}>
      {cursor && <OlderComments expenseId={expense.id} cursor={cursor} />}
      <CommentList newestFirst={expense.comments} />
      <form onSubmit={send} className="flex flex-col items-end gap-2">
        <div className="w-full">
          <TextArea
            label={t`Write a comment`}
            rows={2}
            maxLength={config.limits.lengths.comment}
            value={text}
            disabled={!isAllowed}
            onChange={({ target }) => {
              setText(target.value)
              comment.reset()
            }}
          />
        </div>
        {comment.failure && <FailureNotice failure={comment.failure} />}
        <Button
          type="submit"
          size="small"
          isBusy={comment.isBusy}
          isDisabled={text.trim() === ''}
          reason={
            isAllowed ? undefined : t`The submitter, owners and managers can comment on an expense.`
          }
        >
          <Trans>Send</Trans>
        </Button>
      </form>
    </Section>
  )
}
