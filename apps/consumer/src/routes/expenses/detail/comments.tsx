import { useAction } from '@countersign/app-kit/data/actions.ts'
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

export function Comments({ expense }: { expense: Expense }) {
  const { t } = useLingui()
  const { id: organizationId, config } = useOrganization()
  const { nameOf } = usePeople()
  const comment = useAction('commentOnExpense', ['getExpense'])
  const [text, setText] = useState('')
  const send = async (event: FormEvent) => {
    event.preventDefault()
    const body = text.trim()
    if (body === '') return
    const done = await comment.run({
      path: { organizationId, expenseId: expense.id },
      body: { body },
    })
    if (done.ok) setText('')
  }
  const oldestFirst = [...expense.comments].reverse()
  return (
    <Section title={<Trans>Comments</Trans>} note={expense.comments.length || undefined}>
      {oldestFirst.length > 0 && (
        <ul className="mb-4 flex flex-col gap-3">
          {oldestFirst.map(({ id, authorAccountId, displayName, body, createdAt }) => (
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
      )}
      <form onSubmit={send} className="flex flex-col items-end gap-2">
        <div className="w-full">
          <TextArea
            label={t`Write a comment`}
            rows={2}
            maxLength={config.limits.lengths.comment}
            value={text}
            onChange={({ target }) => {
              setText(target.value)
              comment.reset()
            }}
          />
        </div>
        {comment.failure && <FailureNotice failure={comment.failure} />}
        <Button type="submit" size="small" isBusy={comment.isBusy} isDisabled={text.trim() === ''}>
          <Trans>Send</Trans>
        </Button>
      </form>
    </Section>
  )
}
