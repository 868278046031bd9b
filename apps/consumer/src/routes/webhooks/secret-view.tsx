import { CopyButton } from '@countersign/ui/copy-button.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Trans, useLingui } from '@lingui/react/macro'

/** Shown once: the service cannot read a secret that it has stored. */
export function SecretView({ secret }: { secret: string | null }) {
  const { t } = useLingui()
  if (secret === null) {
    return (
      <Notice tone="warn" isLive>
        <Trans>
          The answer with the secret was lost on its way. Rotate the secret to get a new one.
        </Trans>
      </Notice>
    )
  }
  return (
    <div className="flex flex-col gap-3">
      <Notice tone="info" isLive title={<Trans>The secret is shown only now</Trans>}>
        <Trans>
          Your receiver verifies signatures with it (Standard Webhooks). Keep it as you keep a
          password.
        </Trans>
      </Notice>
      <div className="flex items-start gap-2 rounded-md bg-sunken px-3 py-2">
        <span className="min-w-0 flex-1 break-all font-mono text-sm">{secret}</span>
        <CopyButton text={secret} label={t`Copy the secret`} />
      </div>
    </div>
  )
}
