/** An open action with what it is done with, and how it is held while something is written. */
import type { Tx } from '#platform/database/database.ts'
import type { VaultCall } from '#ports/payment-node.ts'
import { type ActionRow, lockAction } from './actions.store.ts'
import { type ControlRow, type Depositor, findDepositor, lockControl } from './controls.store.ts'
import { isExpired } from './funding-control.ts'
import type { FundingContext } from './funding-provider.ts'

export type Task = { action: ActionRow; control: ControlRow; wallet: Depositor }

/** The call that deposits, exactly. */
export function depositCall({ chain }: Pick<FundingContext, 'chain'>, task: Task): VaultCall {
  const { vaultAddress } = task.control
  const { address: from } = task.wallet
  const { data, gas } = chain.deposit({ vaultAddress, from, amount: task.action.amount })
  return { vaultAddress, data, gasLimit: BigInt(gas) }
}

/** The newest block before a deposit, and what the vault holds in the newest final one. */
export async function readVaultBefore(
  { chain }: Pick<FundingContext, 'chain'>,
  { vaultAddress: address }: ControlRow,
): Promise<{ submittedBlock: number; balanceBefore: bigint }> {
  const { number: submittedBlock } = await chain.latestBlock()
  const blockNumber = Math.max(0, submittedBlock - chain.confirmations + 1)
  return { submittedBlock, balanceBefore: await chain.tokenBalance({ address, blockNumber }) }
}

/** In one transaction, with the control locked first and then the action. */
export const holding = <T>(
  ctx: Pick<FundingContext, 'db'>,
  { action: { organizationId, id: actionId, controlId } }: Task,
  work: (tx: Tx, held: { action: ActionRow; control: ControlRow }) => Promise<T>,
): Promise<T> =>
  ctx.db.transaction({ organizationId }, async (tx) => {
    const control = await lockControl(tx, { organizationId, controlId })
    const action = await lockAction(tx, { organizationId, actionId })
    if (!control || !action) throw new Error('A funding action is gone')
    return work(tx, { action, control })
  })

/** Asked again under the lock: a control, a role or a policy may have ended since the request. */
export async function mayDeposit(
  ctx: Pick<FundingContext, 'clock'>,
  tx: Tx,
  control: ControlRow,
): Promise<boolean> {
  if (control.state !== 'verified' || isExpired(control, ctx.clock.now())) return false
  const { organizationId, provider, walletId } = control
  return (await findDepositor(tx, { organizationId, provider, walletId })) !== undefined
}
