import { useAction } from '@countersign/app-kit/data/actions.ts'
import { useRead } from '@countersign/app-kit/data/queries.ts'
import { FailureNotice } from '@countersign/app-kit/shell/failure-notice.tsx'
import { ReadView } from '@countersign/app-kit/shell/read-view.tsx'
import { Button } from '@countersign/ui/button.tsx'
import { TextField } from '@countersign/ui/field.tsx'
import { Card, Section } from '@countersign/ui/page.tsx'
import { say } from '@countersign/ui/say.ts'
import { Trans, useLingui } from '@lingui/react/macro'
import type { FormEvent } from 'react'
import { useTypedName } from './typed-name.ts'

const NAME_MAX = 100

/** The name that colleagues see. */
export function DisplayName() {
  const me = useRead('getAccount', {})
  return (
    <Section title={<Trans>Name</Trans>}>
      <ReadView of={me} lines={1}>
        {({ account }) => <NameForm current={account.displayName ?? ''} />}
      </ReadView>
    </Section>
  )
}

function NameForm({ current }: { current: string }) {
  const { t } = useLingui()
  const update = useAction('updateAccount', ['getAccount', 'listMembers'])
  const [name, setName] = useTypedName(current)
  const change = async (displayName: string | null) => {
    const updated = await update.run({ body: { displayName } })
    if (!updated.ok) return
    // The provider's name replaces what was typed before.
    if (displayName === null) setName(updated.data.account.displayName ?? '')
    say(t`Saved`)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void change(name.trim())
  }
  return (
    <Card>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <TextField
          label={t`Display name`}
          hint={t`People in your organizations and support see it.`}
          value={name}
          onChange={(event) => setName(event.target.value)}
          maxLength={NAME_MAX}
          autoComplete="name"
        />
        {update.failure && <FailureNotice failure={update.failure} />}
        <div className="flex flex-wrap gap-2">
          <Button
            type="submit"
            look="primary"
            isBusy={update.isBusy}
            isDisabled={name.trim() === '' || name.trim() === current}
          >
            <Trans>Save</Trans>
          </Button>
          <Button look="quiet" isDisabled={update.isBusy} onClick={() => void change(null)}>
            <Trans>Use the name of my identity provider</Trans>
          </Button>
        </div>
      </form>
    </Card>
  )
}
