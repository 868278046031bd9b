import { useAction } from '@countersign/app-kit/data/actions.ts'
import { FailureNotice } from '@countersign/app-kit/shell/failure-notice.tsx'
import { Button } from '@countersign/ui/button.tsx'
import { Dialog } from '@countersign/ui/dialog.tsx'
import { Checkbox, ChoiceGroup, TextField } from '@countersign/ui/field.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { type FormEvent, useId, useState } from 'react'
import { useOrganization } from '../../data/organization.tsx'
import { SecretView } from './secret-view.tsx'
import { ALL_KINDS, KINDS, type Kind } from './webhook-kinds.ts'
import { isWebhookUrl } from './webhook-url.ts'

export function CreateWebhookDialog({ onClose }: { onClose(): void }) {
  const { t, i18n } = useLingui()
  const { id: organizationId } = useOrganization()
  const create = useAction('createWebhook', ['listWebhooks'])
  const [url, setUrl] = useState('')
  const [kinds, setKinds] = useState<Kind[]>(['expense.changed', 'payment.changed'])
  const [made, setMade] = useState<{ secret: string | null } | null>(null)
  const [problem, setProblem] = useState<string>()
  const formId = useId()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!isWebhookUrl(url.trim())) {
      return setProblem(t`Enter an https address without a user name.`)
    }
    const created = await create.run({ path: { organizationId }, body: { url: url.trim(), kinds } })
    if (created.ok) setMade(created.data)
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={made ? <Trans>The webhook is created</Trans> : <Trans>New webhook</Trans>}
      actions={
        made ? (
          <Button look="primary" onClick={onClose}>
            <Trans>I have kept it</Trans>
          </Button>
        ) : (
          <>
            <Button onClick={onClose}>
              <Trans>Cancel</Trans>
            </Button>
            <Button
              type="submit"
              form={formId}
              look="primary"
              isBusy={create.isBusy}
              isDisabled={url.trim() === '' || kinds.length === 0}
            >
              <Trans>Create</Trans>
            </Button>
          </>
        )
      }
    >
      {made ? (
        <SecretView secret={made.secret} />
      ) : (
        <form id={formId} onSubmit={submit} className="flex flex-col gap-4" noValidate>
          <TextField
            type="url"
            label={t`Address of the receiver`}
            placeholder="https://"
            value={url}
            problem={problem}
            onChange={(event) => {
              setUrl(event.target.value)
              setProblem(undefined)
              create.reset()
            }}
            maxLength={1024}
            autoComplete="off"
            spellCheck={false}
            required
          />
          <ChoiceGroup label={t`What is sent`}>
            {ALL_KINDS.map((kind) => (
              <Checkbox
                key={kind}
                label={i18n._(KINDS[kind])}
                hint={<span className="font-mono">{kind}</span>}
                checked={kinds.includes(kind)}
                onChange={(event) =>
                  setKinds(
                    event.target.checked ? [...kinds, kind] : kinds.filter((each) => each !== kind),
                  )
                }
              />
            ))}
          </ChoiceGroup>
          <p className="text-muted text-sm">
            <Trans>Messages contain ids and states, no amounts. Earlier events are not sent.</Trans>
          </p>
          {create.failure && <FailureNotice failure={create.failure} />}
        </form>
      )}
    </Dialog>
  )
}
