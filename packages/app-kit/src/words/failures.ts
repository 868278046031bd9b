/**
 * What each failure says to a person: what is wrong and what to do. A code without a sentence here is
 * shown with the service's own, which is English.
 */
import type { ErrorCode, Failure } from '@countersign/client/errors.ts'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react'

const TEXTS: Partial<Record<ErrorCode | Failure['code'], MessageDescriptor>> = {
  network: msg`The service cannot be reached. Check your connection, then try again.`,
  timeout: msg`The service took too long to answer. Try again.`,
  unexpected_response: msg`The reply did not come from the service. Check your connection, then try again.`,
  internal: msg`Something went wrong on our side. Try again, and contact support if it keeps happening.`,
  rate_limited: msg`Too many requests in a short time. Wait a moment, then try again.`,
  dependency_unavailable: msg`A part of the service is not available right now. Try again in a moment.`,
  unauthenticated: msg`Your session has ended. Sign in again to continue; what you typed stays here.`,
  session_required: msg`Your session has ended. Sign in again to continue; what you typed stays here.`,
  account_changed: msg`This browser is now signed in as someone else. Reload the page to continue.`,
  version_conflict: msg`Someone changed this in the meantime. Look at the new version before you continue.`,
  forbidden: msg`You are not allowed to do this here. An owner of the organization can change your role.`,
  not_found: msg`This does not exist, or you are not allowed to see it.`,
}

export function useFailureText(failure: Failure): string {
  const { i18n } = useLingui()
  const text = TEXTS[failure.code as ErrorCode]
  return text ? i18n._(text) : failure.message
}
