import type { MarkKind } from '@countersign/ui/mark.tsx'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'

export type Severity = 'healthy' | 'degraded' | 'action_required'

export const SEVERITIES: Record<Severity, { kind: MarkKind; word: MessageDescriptor }> = {
  healthy: { kind: 'done', word: msg`Healthy` },
  degraded: { kind: 'warning', word: msg`Degraded` },
  action_required: { kind: 'blocked', word: msg`Action required` },
}
