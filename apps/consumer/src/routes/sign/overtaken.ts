/** What has changed since the person was shown an expense. */
import type { ShownApproval } from '@countersign/client/approvals.ts'
import type { Failure } from '@countersign/client/errors.ts'
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

const isSigned = (state: string): boolean => state === 'signed' || state === 'consumed'

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
  const signed = now.approvals?.find(({ state }) => isSigned(state))
  if (signed && now.state !== 'awaiting_approval') {
    const { displayName: by, approverAddress } = signed
    changes.push({ kind: 'signed', by, approverAddress })
  } else if (now.state !== shown.state) {
    changes.push({ kind: 'state', state: now.state })
  }
  return changes
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

/** Which of the ends a refusal of the service leads to. */
export function endOf({ code }: Failure): 'expired' | 'overtaken' | 'failed' {
  if (code === 'approval_expired') return 'expired'
  return code === 'version_conflict' || code === 'state_conflict' ? 'overtaken' : 'failed'
}
