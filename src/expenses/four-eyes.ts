/**
 * Whether a member may review or sign an expense. Commands refuse by these rules, and the task list
 * offers by them. Pure.
 */

export type Decider = {
  accountId: string
  submitterAccountId: string
  /** Accounts that have or once had the recipient's address as a wallet. */
  paidAccountIds: readonly string[]
}

/** A payee decides nothing about the expense. */
export const isPayee = ({ accountId, paidAccountIds }: Decider): boolean =>
  paidAccountIds.includes(accountId)

export const isSubmitter = ({
  accountId,
  submitterAccountId,
}: Pick<Decider, 'accountId' | 'submitterAccountId'>): boolean => accountId === submitterAccountId

/** `deciderIds`: everybody who may decide by their role, the member among them or not. */
export const isAnotherDecider = (decider: Decider, deciderIds: readonly string[]): boolean =>
  countOthers(decider, deciderIds) > 0

const countOthers = (
  { accountId, paidAccountIds }: Decider,
  deciderIds: readonly string[],
): number => deciderIds.filter((id) => id !== accountId && !paidAccountIds.includes(id)).length

/** Payees never decide; submitters only if fewer others can than are needed. */
export const mayDecide = (decider: Decider, deciderIds: readonly string[], needed = 1): boolean =>
  !isPayee(decider) && (!isSubmitter(decider) || countOthers(decider, deciderIds) < needed)
