import { useAction } from '@countersign/app-kit/data/actions.ts'
import { FailureNotice } from '@countersign/app-kit/shell/failure-notice.tsx'
import type { DataOf } from '@countersign/client/operation-types.ts'
import { Button } from '@countersign/ui/button.tsx'
import { ChoiceGroup, Radio, SelectField, TextArea } from '@countersign/ui/field.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Card } from '@countersign/ui/page.tsx'
import { say } from '@countersign/ui/say.ts'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { CASE_STATES, type CaseStatus, NEXT_STATES, stillPossible } from '../../words/cases.ts'
import { mayHaveBeenSent } from './lost-answer.ts'

const BODY_MAX = 4_000

type Props = {
  supportCase: DataOf<'getAdminSupportCase'>
  onSent(note: DataOf<'addSupportNote'>): void
}

/** An answer or a note. It says who will read it before it is sent. */
export function AnswerForm({ supportCase, onSent }: Props) {
  const { t, i18n } = useLingui()
  const [body, setBody] = useState('')
  const [isAnswer, setAnswer] = useState(true)
  const [chosen, setChosen] = useState<CaseStatus | ''>('')
  const status = stillPossible(chosen, supportCase.status)
  if (status !== chosen) setChosen(status)
  const [lost, setLost] = useState<'answer' | 'note' | null>(null)
  const add = useAction('addSupportNote', ['getAdminSupportCase'])
  const cache = useQueryClient()
  const name = supportCase.displayName ?? t`The member`
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setLost(null)
    const result = await add.run({
      path: { caseId: supportCase.id },
      body: { body: body.trim(), visibleToCustomer: isAnswer, ...(status && { status }) },
    })
    if (!result.ok) {
      // Without an idempotency key, a repeat would be a second answer: look before.
      if (!mayHaveBeenSent(result.failure)) return
      setLost(isAnswer ? 'answer' : 'note')
      return cache.invalidateQueries({ queryKey: ['getAdminSupportCase'] })
    }
    setBody('')
    setChosen('')
    onSent(result.data)
    say(isAnswer ? t`The answer is sent` : t`The note is kept`)
  }
  return (
    <Card>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <ChoiceGroup label={t`What do you write?`}>
          <div className="flex flex-wrap gap-x-8">
            <Radio
              name="kind"
              label={t`An answer to the customer`}
              checked={isAnswer}
              onChange={() => setAnswer(true)}
            />
            <Radio
              name="kind"
              label={t`A note for operators only`}
              checked={!isAnswer}
              onChange={() => setAnswer(false)}
            />
          </div>
        </ChoiceGroup>
        <TextArea
          label={isAnswer ? t`Answer` : t`Note`}
          rows={5}
          value={body}
          onChange={(event) => setBody(event.target.value)}
          maxLength={BODY_MAX}
        />
        <SelectField
          label={t`And move the case to`}
          value={status}
          placeholder={t`Leave it: ${i18n._(CASE_STATES[supportCase.status].word)}`}
          onChange={(event) => setChosen(stillPossible(event.target.value, supportCase.status))}
          options={NEXT_STATES[supportCase.status].map((each) => ({
            value: each,
            label: i18n._(CASE_STATES[each].word),
          }))}
        />
        <p className="text-muted text-sm" role="status">
          {isAnswer ? (
            <Trans>
              <bdi>{name}</bdi> reads this at once as a message from support, and is notified. It
              cannot be taken back.
            </Trans>
          ) : (
            <Trans>Only operators read this. It is recorded in the organization's trail.</Trans>
          )}{' '}
          {status && <Trans>The case becomes “{i18n._(CASE_STATES[status].word)}”.</Trans>}
        </p>
        {lost && <LostNotice kind={lost} />}
        {add.failure && (!lost || add.failure.treatment === 'report') && (
          <FailureNotice failure={add.failure} />
        )}
        <div>
          <Button type="submit" look="primary" isBusy={add.isBusy} isDisabled={body.trim() === ''}>
            {isAnswer ? <Trans>Send the answer</Trans> : <Trans>Keep the note</Trans>}
          </Button>
        </div>
      </form>
    </Card>
  )
}

const LostNotice = ({ kind }: { kind: 'answer' | 'note' }) => (
  <Notice
    tone="warn"
    isLive
    title={
      kind === 'answer' ? (
        <Trans>
          Your answer may have been sent. Look at the messages above before you send it again.
        </Trans>
      ) : (
        <Trans>
          Your note may have been kept. Look at the messages above before you keep it again.
        </Trans>
      )
    }
  />
)
