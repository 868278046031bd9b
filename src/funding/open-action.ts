/** An open funding action with its control and wallet, and the lock for writes about it. */
import type { Tx } from '#platform/database/database.ts'
import type { VaultCall } from '#ports/payment-node.ts'
import { type ActionRow, lockAction } from './actions.store.ts'
import { type ControlRow, type Depositor, findDepositor, lockControl } from './controls.store.ts'
import { isExpired } from './funding-control.ts'
import type { FundingContext } from './funding-provider.ts'

export type OpenAction = { action: ActionRow; control: ControlRow; wallet: Depositor }

export function depositCall({ chain }: Pick<FundingContext, 'chain'>, open: OpenAction): VaultCall {
  const { vaultAddress } = open.control
  const { address: from } = open.wallet
  const { data, gas } = chain.deposit({ vaultAddress, from, amount: open.action.amount })
  return { vaultAddress, data, gasLimit: BigInt(gas) }
}

/** The newest block before a deposit, and the vault's balance at the newest final block. */
export async function readVaultBefore(
  { chain }: Pick<FundingContext, 'chain'>,
  { vaultAddress: address }: ControlRow,
): Promise<{ submittedBlock: number; balanceBefore: bigint }> {
  const { number: submittedBlock } = await chain.latestBlock()
  const blockNumber = Math.max(0, submittedBlock - chain.confirmations + 1)
  return { submittedBlock, balanceBefore: await chain.tokenBalance({ address, blockNumber }) }
}

/** Runs the work in one transaction. Locks the control first, then the action. */
export const withLockedAction = <T>(
  ctx: Pick<FundingContext, 'db'>,
  { action: { organizationId, id: actionId, controlId } }: OpenAction,
  work: (tx: Tx, held: { action: ActionRow; control: ControlRow }) => Promise<T>,
): Promise<T> =>
  ctx.db.transaction({ organizationId }, async (tx) => {
    const control = await lockControl(tx, { organizationId, controlId })
    const action = await lockAction(tx, { organizationId, actionId })
    if (!control || !action) throw new Error('The funding action or its control does not exist')
    return work(tx, { action, control })
  })

/** Checked under the lock: control, role or policy may have ended since the request. */
export async function mayDeposit(
  ctx: Pick<FundingContext, 'clock'>,
  tx: Tx,
  control: ControlRow,
): Promise<boolean> {
  if (control.state !== 'verified' || isExpired(control, ctx.clock.now())) return false
  const { organizationId, provider, walletId } = control
  return (await findDepositor(tx, { organizationId, provider, walletId })) !== undefined
}
