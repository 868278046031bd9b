/** A funding action in API form. Pure. */
import type { ActionRow, FundingActionKind } from './actions.store.ts'
import type { ActionState } from './funding-action.machine.ts'
import type { ReconciliationState } from './funding-reconciliation.machine.ts'

export type FundingAction = {
  id: string
  vaultId: string | null
  action: FundingActionKind
  amountBaseUnits: string
  state: ActionState
  transactionHash: string | null
  providerReference: string | null
  failureCode: string | null
  createdAt: string
  updatedAt: string
  broadcastAt: string | null
  confirmedAt: string | null
  reconciledAt: string | null
  reconciliationState: ReconciliationState
  balanceBeforeBaseUnits: string | null
  balanceAfterBaseUnits: string | null
}

export const toFundingAction = (row: ActionRow): FundingAction => ({
  id: row.id,
  vaultId: row.vaultId,
  action: row.action,
  amountBaseUnits: row.amount.toString(),
  state: row.state,
  transactionHash: row.transactionHash,
  providerReference: row.providerReference,
  failureCode: row.failureCode,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
  broadcastAt: row.broadcastAt,
  confirmedAt: row.confirmedAt,
  reconciledAt: row.reconciledAt,
  reconciliationState: row.reconciliationState,
  balanceBeforeBaseUnits: row.balanceBefore?.toString() ?? null,
  balanceAfterBaseUnits: row.balanceAfter?.toString() ?? null,
})

/** The action as first answered. It uses only columns that never change. */
export const toRequestedAction = ({
  id,
  vaultId,
  action,
  amount,
  createdAt,
}: Pick<ActionRow, 'id' | 'vaultId' | 'action' | 'amount' | 'createdAt'>): FundingAction => ({
  id,
  vaultId,
  action,
  amountBaseUnits: amount.toString(),
  createdAt,
  updatedAt: createdAt,
  state: 'requested',
  reconciliationState: 'pending',
  transactionHash: null,
  providerReference: null,
  failureCode: null,
  broadcastAt: null,
  confirmedAt: null,
  reconciledAt: null,
  balanceBeforeBaseUnits: null,
  balanceAfterBaseUnits: null,
})

export const isOpen = ({ state }: Pick<ActionRow, 'state'>): boolean =>
  state === 'requested' || state === 'broadcast'
