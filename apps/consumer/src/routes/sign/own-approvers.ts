import type { ShownApproval } from '@countersign/client/approvals.ts'

/** The person's wallets that the policy in force lists as approvers. */
export function ownApprovers(
  me: { wallets: readonly { address: string }[] },
  vault: Pick<ShownApproval['vault'], 'policy'>,
): string[] {
  const listed = new Set(vault.policy?.approverAddresses.map((each) => each.toLowerCase()))
  return me.wallets.map(({ address }) => address).filter((each) => listed.has(each.toLowerCase()))
}
