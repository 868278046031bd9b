/** Follows the policies in force: the executor that they name takes over, the old one ends. */
import { checksummed } from '@countersign/proof/values.ts'
import { findPosition } from '#chain/chain.store.ts'
import { SYSTEM } from '#journal/actor.ts'
import type { Tx } from '#platform/database/database.ts'
import { next } from '#platform/machine.ts'
import { type BindingEvent, bindingMachine } from './executor.machine.ts'
import { lockLatestProvisioning } from './executor.store.ts'
import { type ExecutorContext, recordExecutor } from './move-provisioning.ts'
import { listRotation, type RotationRow, updateBindingState } from './rotation.store.ts'
import { rotationMoves } from './rotation.ts'

const actions = {
  activate: 'executor.activated',
  replace: 'executor.replaced',
  withdraw: 'executor.withdrawn',
  retire: 'executor.retired',
} as const

export async function rotateExecutors(
  ctx: ExecutorContext,
  tx: Tx,
  organizationId: string,
): Promise<void> {
  await lockLatestProvisioning(tx, organizationId)
  const position = await findPosition(tx)
  const finalBlock = (position?.number ?? 0) - ctx.chain.confirmations + 1
  const bindings = await listRotation(tx, { organizationId, finalBlock })
  for (const move of rotationMoves(bindings)) await moveBinding(ctx, tx, move)
}

/** The only writer of a binding's state. */
async function moveBinding(
  ctx: ExecutorContext,
  tx: Tx,
  { binding, event }: { binding: RotationRow; event: BindingEvent },
): Promise<void> {
  const to = next(bindingMachine, { from: binding.state, event })
  updateBindingState(tx, { binding, to })
  await recordExecutor(ctx, tx, {
    organizationId: binding.organizationId,
    actor: SYSTEM,
    action: actions[event],
    id: binding.id,
    data: { address: checksummed(binding.address) },
    state: to,
  })
}
