import { signInPath } from '@countersign/app-kit/data/session.ts'
import { Logo } from '@countersign/app-kit/shell/logo.tsx'
import { buttonStyle } from '@countersign/ui/button.tsx'
import { Heading } from '@countersign/ui/heading.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { getRouteApi } from '@tanstack/react-router'

const route = getRouteApi('/sign-in')

const PROBLEMS: Record<string, MessageDescriptor> = {
  account_disabled: msg`This account has been disabled. Ask your identity provider or support.`,
  wallet_conflict: msg`A wallet of this sign-in belongs to another account. Sign in as that one, or unlink it there first.`,
  access_denied: msg`You did not sign in at the identity provider. Try again.`,
  provider_refused: msg`The identity provider did not sign you in. Try again.`,
  too_many: msg`Too many sign-ins from this place. Try again in a minute.`,
  unavailable: msg`The identity provider cannot be reached right now. Try again in a moment.`,
  state_lost: msg`That took too long, or was started in another window. Try again.`,
  session_refused: msg`The service did not accept this sign-in. Try again, or ask an owner.`,
  other_person: msg`You confirmed as someone else. Sign in and start again as the same person.`,
  signed_out: msg`Your session has ended. Sign in again.`,
  operator_required: msg`This account may not use this application.`,
}

export function SignInPage() {
  const { t, i18n } = useLingui()
  const { returnTo = '/', problem } = route.useSearch()
  return (
    <main className="mx-auto flex min-h-dvh max-w-sm flex-col justify-center gap-6 px-6 py-12">
      <div className="flex flex-col items-start gap-4">
        <Logo />
        <Heading>
          <Trans>Sign in to Countersign</Trans>
        </Heading>
        <p className="text-muted">
          <Trans>
            Money leaves your company's vault only when the books, a person's signature and the
            chain agree. Anyone can check afterwards why it left.
          </Trans>
        </p>
      </div>
      {problem && (
        <Notice tone="warn" isLive>
          {PROBLEMS[problem] ? i18n._(PROBLEMS[problem]) : t`Signing in did not work. Try again.`}
        </Notice>
      )}
      <a
        href={signInPath(returnTo)}
        className={buttonStyle({ look: 'primary', size: 'large', wide: true })}
      >
        <Trans>Continue</Trans>
      </a>
      <p className="text-muted text-sm">
        <Trans>
          You sign in at your company's identity provider. This page never sees a password.
        </Trans>
      </p>
    </main>
  )
}
