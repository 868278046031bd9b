/** The executor, approvers and recipients of an organization, as a policy would list them. */
import type { DataOf, ItemOf } from '@countersign/client/operation-types.ts'
import type { PolicyLists } from './policy-terms.ts'

type Member = ItemOf<'listMembers'>
type Recipient = ItemOf<'listRecipients'>

const unique = (addresses: readonly string[]): string[] => [
  ...new Map(addresses.map((one) => [one.toLowerCase(), one])).values(),
]

export function approverAddressesOf(members: readonly Member[]): string[] {
  return unique(
    members.flatMap(({ walletRoles, wallets }) =>
      walletRoles
        .filter(({ role, active }) => role === 'approver' && active)
        .flatMap(({ walletId }) => wallets.filter(({ id }) => id === walletId))
        .map(({ address }) => address),
    ),
  )
}

/** Nobody signs a payment twice, however many wallets they have. */
export const approverPeopleOf = (members: readonly Member[]): number =>
  members.filter((member) => approverAddressesOf([member]).length > 0).length

export const recipientAddressesOf = (recipients: readonly Recipient[], chainId: number): string[] =>
  unique(
    recipients
      .filter(({ active, chainId: on }) => active && on === chainId)
      .map(({ address }) => address),
  )

export function listsOf(
  {
    members,
    recipients,
    executor,
  }: {
    members: readonly Member[]
    recipients: readonly Recipient[]
    executor: DataOf<'getExecutor'>
  },
  chainId: number,
): PolicyLists | null {
  // Policies prepared now name the executor that follows, if there is one.
  const named = executor.otherBindings.find(({ state }) => state === 'next') ?? executor.binding
  if (!named) return null
  return {
    executorAddress: named.address,
    approverAddresses: approverAddressesOf(members),
    recipientAddresses: recipientAddressesOf(recipients, chainId),
  }
}

/** Names by address in lower case. A recipient's label comes before a member's name. */
export function namesOf(
  members: readonly Member[],
  recipients: readonly Recipient[],
): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const { wallets, displayName } of members) {
    if (displayName)
      for (const { address } of wallets) names.set(address.toLowerCase(), displayName)
  }
  // Newest first: an active recipient's label wins over that of an older, deactivated one.
  for (const { address, label, active } of recipients.toReversed()) {
    if (active || !names.has(address.toLowerCase())) names.set(address.toLowerCase(), label)
  }
  return names
}
