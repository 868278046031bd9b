/** The only writer of an intent's state. */
import type { Context } from '#context.ts'
import type { Actor } from '#journal/actor.ts'
import { integrationChange, recordChange } from '#journal/journal.ts'
import type { Tx } from '#platform/database/database.ts'
import { next } from '#platform/machine.ts'
import { type IntentEvent, intentMachine } from './chain-intent.machine.ts'
import {
  type IntentHead,
  type IntentKind,
  linkProposal,
  updateIntentState,
} from './intents.store.ts'

export type MoveIntent = {
  kind: IntentKind
  intent: IntentHead
  event: IntentEvent
  actor: Actor
  transactionHash?: string
  failureCode?: string
  outcome?: string | number
  /** With `propose`. */
  proposalRowId?: string
}

const names = { vault_deployment: 'vault_deployment', policy: 'policy_intent' } as const

const severityOf = (event: IntentEvent) =>
  event === 'reject' || event === 'fail' ? 'action_required' : 'healthy'

export async function moveIntent(
  ctx: Pick<Context, 'clock' | 'ids'>,
  tx: Tx,
  { kind, intent, event, actor, transactionHash, failureCode, outcome, proposalRowId }: MoveIntent,
): Promise<void> {
  const to = next(intentMachine, { from: intent.state, event })
  const at = ctx.clock.now()
  const hash = transactionHash ?? intent.transactionHash
  updateIntentState(tx, kind, {
    intent,
    to,
    transactionHash: hash,
    submittedAt: event === 'submit' ? at : intent.submittedAt,
    failureCode: failureCode ?? null,
    outcome: outcome ?? null,
    at,
  })
  const { organizationId, id: intentId } = intent
  if (proposalRowId !== undefined) {
    linkProposal(tx, { organizationId, intentId, proposalRowId })
  }
  const name = names[kind]
  const isProposed = event === 'propose'
  await recordChange(ctx, tx, {
    organizationId,
    actor,
    action: isProposed
      ? 'policy_intent.proposed'
      : `${name}.${to === 'prepared' ? 'submitted' : to}`,
    aggregateType: name,
    aggregateId: intentId,
    data: { transactionHash: hash, failureCode: failureCode ?? null, outcome: outcome ?? null },
    live: integrationChange({
      targetState: to,
      severity: severityOf(event),
      code: failureCode ?? name,
    }),
  })
}
