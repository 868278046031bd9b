/** The words for the states of approvals, analyses, attempts and provisionings. */
import type { DataOf } from '@countersign/client/operation-types.ts'
import type { MarkKind } from '@countersign/ui/mark.tsx'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'

type Detail = DataOf<'getAdminOrganization'>
type Words<State extends string> = Record<State, { kind: MarkKind; word: MessageDescriptor }>

export const APPROVAL_STATES: Words<Detail['approvals'][number]['state']> = {
  prepared: { kind: 'sign', word: msg`Not signed yet` },
  signed: { kind: 'done', word: msg`Signed` },
  consumed: { kind: 'done', word: msg`Used to pay` },
  expired: { kind: 'ended', word: msg`Expired` },
  superseded: { kind: 'ended', word: msg`Superseded` },
  invalidated: { kind: 'ended', word: msg`Invalidated` },
}

export const RUN_STATES: Words<Detail['agentRuns'][number]['state']> = {
  queued: { kind: 'waiting', word: msg`Queued` },
  running: { kind: 'working', word: msg`Running` },
  succeeded: { kind: 'done', word: msg`Succeeded` },
  failed: { kind: 'blocked', word: msg`Failed` },
}

export const ATTEMPT_STATES: Words<Detail['attempts'][number]['state']> = {
  written: { kind: 'waiting', word: msg`Written` },
  sent: { kind: 'working', word: msg`Sent` },
  mined: { kind: 'done', word: msg`Mined` },
  cleared: { kind: 'ended', word: msg`Cleared` },
}

type Provisioning = NonNullable<DataOf<'getAdminExecutor'>['provisioning']>

export const PROVISIONING_STATES: Words<Provisioning['state']> = {
  requested: { kind: 'waiting', word: msg`Requested` },
  provisioning: { kind: 'working', word: msg`Being provisioned` },
  active: { kind: 'done', word: msg`Active` },
  failed: { kind: 'blocked', word: msg`Failed` },
}

type OtherBinding = DataOf<'getAdminExecutor'>['otherBindings'][number]

/** Of executors that are not the one in use. */
export const BINDING_STATES: Words<OtherBinding['state']> = {
  next: { kind: 'waiting', word: msg`Next` },
  active: { kind: 'done', word: msg`Active` },
  draining: { kind: 'working', word: msg`Being replaced` },
  disabled: { kind: 'ended', word: msg`Retired` },
}

export const VAULT_STATES: Words<Detail['treasuryVaults'][number]['status']> = {
  pending: { kind: 'working', word: msg`Being verified` },
  verified: { kind: 'done', word: msg`Verified` },
  disabled: { kind: 'ended', word: msg`Disabled` },
}
