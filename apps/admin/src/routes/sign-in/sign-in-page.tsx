import { signInPath } from '@countersign/app-kit/data/session.ts'
import { buttonStyle } from '@countersign/ui/button.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { getRouteApi } from '@tanstack/react-router'
import { AdminLogo } from '../../shell/admin-logo.tsx'

const route = getRouteApi('/sign-in')

const PROBLEMS: Record<string, MessageDescriptor> = {
  operator_required: msg`This account is not an operator, or its role was revoked. Someone who runs the service can grant it.`,
  account_disabled: msg`This account has been disabled. Ask someone who runs the service.`,
  wallet_conflict: msg`A wallet of this sign-in belongs to another account. Sign in as that one.`,
  access_denied: msg`You did not sign in at the identity provider. Try again.`,
  provider_refused: msg`The identity provider did not sign you in. Try again.`,
  too_many: msg`Too many sign-ins from this place. Try again in a minute.`,
  unavailable: msg`The identity provider cannot be reached right now. Try again in a moment.`,
  state_lost: msg`That took too long, or was started in another window. Try again.`,
  session_refused: msg`The service did not accept this sign-in. Try again, or ask someone who runs the service.`,
  other_person: msg`You confirmed as someone else. Sign in and start again as the same person.`,
  signed_out: msg`Your session has ended. Sign in again.`,
}

export function SignInPage() {
  const { t, i18n } = useLingui()
  const { returnTo = '/', problem } = route.useSearch()
  return (
    <>
      <p className="bg-accent px-4 py-1 text-center font-medium text-on-accent text-xs">
        <Trans>Administration</Trans>
      </p>
      <main className="mx-auto flex min-h-[calc(100dvh-2rem)] max-w-sm flex-col justify-center gap-6 px-6 py-12">
        <div className="flex flex-col items-start gap-4">
          <AdminLogo />
          <h1 className="font-semibold text-2xl tracking-tight">
            <Trans>Sign in as an operator</Trans>
          </h1>
          <p className="text-muted">
            <Trans>
              Find out what happened to a customer's money, and answer them. What you read of a
              customer is recorded in their audit trail. Money cannot be moved from here.
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
      </main>
    </>
  )
}
