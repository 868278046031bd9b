/** The only writer of a support case's state. */
import type { Context } from '#context.ts'
import type { Actor } from '#journal/actor.ts'
import { recordChange } from '#journal/journal.ts'
import type { Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import { type CaseRow, updateCaseState } from './support.store.ts'
import {
  type SupportCaseEvent,
  type SupportCaseState,
  supportCaseMachine,
} from './support-case.machine.ts'
import { severityOf } from './support-case.ts'

/** A case becomes `open` only by being created. */
const eventTo: Record<SupportCaseState, SupportCaseEvent | undefined> = {
  open: undefined,
  investigating: 'investigate',
  resolved: 'resolve',
  reopened: 'reopen',
}

function stateAfter(from: SupportCaseState, wanted: SupportCaseState): SupportCaseState {
  const event = eventTo[wanted]
  const to = event && supportCaseMachine.moves[from][event]
  if (to !== undefined) return to
  throw new AppError('invalid_transition', {
    message: `A case that is ${from} cannot become ${wanted}. Read its status and retry.`,
  })
}

/** What was written: an internal note, a note that members see, or a member's message. */
type Written = { noteId: string } | { answerId: string } | { messageId: string }

const codeOf = (by: Written, isMoved: boolean): string | null => {
  if ('messageId' in by) return 'message_added'
  if ('answerId' in by) return 'answered'
  return isMoved ? null : 'noted'
}

const actionOf = (by: Written, isMoved: boolean) => {
  if ('messageId' in by) return 'support_case.messaged'
  return isMoved ? 'support_case.moved' : 'support_case.noted'
}

const dataOf = (by: Written) =>
  'answerId' in by ? { noteId: by.answerId, visibleToCustomer: true } : by

/** Without a requested status the state stays, and only `updatedAt` changes. */
export async function moveCase(
  ctx: Pick<Context, 'clock' | 'ids'>,
  tx: Tx,
  {
    supportCase,
    wanted,
    actor,
    by,
  }: {
    /** As read under lock. */
    supportCase: CaseRow
    wanted: SupportCaseState | undefined
    actor: Actor
    by: Written
  },
): Promise<void> {
  const from = supportCase.state
  const to = wanted === undefined ? from : stateAfter(from, wanted)
  const isMoved = to !== from
  updateCaseState(tx, { supportCase, to, at: ctx.clock.now() })
  await recordChange(ctx, tx, {
    organizationId: supportCase.organizationId,
    actor,
    action: actionOf(by, isMoved),
    aggregateType: 'support_case',
    aggregateId: supportCase.id,
    data: { ...dataOf(by), from, to },
    live: {
      kind: 'support_case.changed',
      aggregateType: 'support_case',
      targetState: to,
      severity: severityOf(to, supportCase.priority),
      code: codeOf(by, isMoved),
    },
  })
}
