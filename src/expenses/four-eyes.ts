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
export const isAnotherDecider = (
  { accountId, paidAccountIds }: Decider,
  deciderIds: readonly string[],
): boolean => deciderIds.some((id) => id !== accountId && !paidAccountIds.includes(id))

/** Payees never decide; submitters only if nobody else can. */
export const mayDecide = (decider: Decider, deciderIds: readonly string[]): boolean =>
  !isPayee(decider) && (!isSubmitter(decider) || !isAnotherDecider(decider, deciderIds))
