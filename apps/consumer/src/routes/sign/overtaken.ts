/** What has changed since the person was shown an expense. */
import type { ShownApproval } from '@countersign/client/approvals.ts'
import type { Failure } from '@countersign/client/errors.ts'
import { signaturesOf } from '../../approval/signatures.ts'
import type { VaultFacts } from './vault-facts.ts'

type Expense = ShownApproval['expense']
type Vault = ShownApproval['vault']

export type Change =
  | { kind: 'revision'; from: number; to: number }
  | { kind: 'amount'; from: string; to: string }
  | { kind: 'recipient'; from: string; to: string; toLabel: string }
  | { kind: 'purpose'; to: string }
  | { kind: 'state'; state: Expense['state'] }
  | { kind: 'signed'; by: string | null; approverAddress: string }
  | { kind: 'policy'; from: number; to: number }
  | { kind: 'paused' }

export function expenseChanges(shown: Expense, now: Expense): Change[] {
  const changes: Change[] = []
  const [was, is] = [shown.revision, now.revision]
  if (now.currentRevision !== shown.currentRevision) {
    changes.push({ kind: 'revision', from: shown.currentRevision, to: now.currentRevision })
    if (is.amountBaseUnits !== was.amountBaseUnits) {
      changes.push({ kind: 'amount', from: was.amountBaseUnits, to: is.amountBaseUnits })
    }
    if (is.recipientAddress !== was.recipientAddress) {
      const { recipientAddress: to, recipientLabel: toLabel } = is
      changes.push({ kind: 'recipient', from: was.recipientAddress, to, toLabel })
    }
    if (is.purpose !== was.purpose) changes.push({ kind: 'purpose', to: is.purpose })
  }
  // Where several must sign, another signature alone changes nothing for the next one.
  if (now.state === shown.state) return changes
  const signed = newlySigned(shown, now)
  return [
    ...changes,
    ...signed.map(({ displayName: by, approverAddress }) => ({
      kind: 'signed' as const,
      by,
      approverAddress,
    })),
    ...(signed.length === 0 ? [{ kind: 'state' as const, state: now.state }] : []),
  ]
}

function newlySigned(shown: Expense, now: Expense) {
  const before = new Set(signaturesOf(shown).signed.map(({ approvalId }) => approvalId))
  return signaturesOf(now).signed.filter(({ approvalId }) => !before.has(approvalId))
}

export function policyChanges(shown: Vault, now: Vault): Change[] {
  const [from, to] = [shown.policy?.version ?? 0, now.policy?.version ?? 0]
  if (from !== to) return [{ kind: 'policy', from, to }]
  return now.policy?.paused && !shown.policy?.paused ? [{ kind: 'paused' }] : []
}

/** The chain may be a moment ahead of the service. An older policy than shown is no such news. */
export function chainNews(shown: Vault, facts: VaultFacts): Change[] {
  const from = shown.policy?.version ?? 0
  if (facts.policyVersion > from) return [{ kind: 'policy', from, to: facts.policyVersion }]
  const isNewlyPaused = facts.policyVersion === from && facts.isPaused && !shown.policy?.paused
  return isNewlyPaused ? [{ kind: 'paused' }] : []
}

/**
 * The refusal that no change explains. The service answers `state_conflict` also for what no reload
 * mends, such as a recipient that was deactivated.
 */
export const unexplainedRefusal = ({
  failure,
  changes,
}: {
  failure: Failure | null
  changes: readonly Change[]
}): Failure | null => (changes.length === 0 ? failure : null)

/** Which of the ends a refusal of the service leads to. */
export function endOf({ code }: Failure): 'expired' | 'overtaken' | 'failed' {
  if (code === 'approval_expired') return 'expired'
  return code === 'version_conflict' || code === 'state_conflict' ? 'overtaken' : 'failed'
}
