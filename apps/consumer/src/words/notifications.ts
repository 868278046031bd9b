/** The words for what people are notified of. The service worker has its own copy of the sentences. */
import type { DataOf } from '@countersign/client/operation-types.ts'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'

export type Category = DataOf<'getNotificationPreferences'>['preferences'][number]['category']

type Words = { name: MessageDescriptor; sentence: MessageDescriptor }

export const CATEGORIES: Record<Category, Words> = {
  review_needed: {
    name: msg`An expense needs a review`,
    sentence: msg`An expense needs your review.`,
  },
  approval_needed: {
    name: msg`An expense needs a signature`,
    sentence: msg`An expense needs your signature.`,
  },
  revision_requested: {
    name: msg`Changes to your expense were requested`,
    sentence: msg`Someone asked you to change an expense.`,
  },
  payment_confirmed: {
    name: msg`Your expense was paid`,
    sentence: msg`An expense of yours was paid.`,
  },
  payment_blocked: {
    name: msg`A payment is blocked or has failed`,
    sentence: msg`A payment is blocked or has failed.`,
  },
  payment_unrecorded: {
    name: msg`A vault made a payment that nobody requested here`,
    sentence: msg`A vault made a payment that is not recorded here. Check it immediately.`,
  },
  member_role_changed: {
    name: msg`The role of a member changed`,
    sentence: msg`The role of a member changed.`,
  },
  support_updated: {
    name: msg`Support answered`,
    sentence: msg`Support answered you.`,
  },
  wallet_exported: {
    name: msg`The key of a wallet was exported`,
    sentence: msg`The key of a wallet was exported. Check that this was intended.`,
  },
  wallet_export_locked: {
    name: msg`The export of a wallet was locked`,
    sentence: msg`The export of a wallet was locked after failed attempts.`,
  },
  policy_proposed: {
    name: msg`A new policy waits in a vault`,
    sentence: msg`A new policy waits in a vault. Veto it if you did not expect it.`,
  },
  vault_changed: {
    name: msg`A vault was changed on the chain`,
    sentence: msg`A vault was changed in a way that was not prepared here. Check it.`,
  },
  webhook_disabled: {
    name: msg`A webhook was disabled`,
    sentence: msg`A webhook was disabled, because its receiver does not answer.`,
  },
}

export const isCategory = (text: unknown): text is Category =>
  typeof text === 'string' && Object.hasOwn(CATEGORIES, text)
