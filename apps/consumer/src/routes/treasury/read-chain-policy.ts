/** What the wallet reads of a vault before its owner signs a new policy. */
import { isListedIn, policyOf, policyVersionOf, vaultOwnerOf } from '../../wallet/vault-calls.ts'
import type { AnnouncedWallet } from '../../wallet/wallets.ts'
import type { ChainPolicy } from './chain-agreement.ts'
import type { PolicyDifference } from './policy-difference.ts'

/** Wallets limit how much they are asked at once. */
const AT_ONCE = 16

/** Null if the wallet could not read all of it. */
export async function readChainPolicy(
  wallet: AnnouncedWallet,
  vaultAddress: string,
  difference: PolicyDifference,
): Promise<ChainPolicy | null> {
  const [owner, version, policy] = await Promise.all([
    vaultOwnerOf(wallet, vaultAddress),
    policyVersionOf(wallet, vaultAddress),
    policyOf(wallet, vaultAddress),
  ])
  if (!owner.ok || !version.ok || !policy.ok) return null
  const listed = difference.lists.flatMap(({ field, kept }) =>
    kept.map((address) => ({
      list: field === 'approverAddresses' ? ('approver' as const) : ('recipient' as const),
      version: version.value,
      address,
    })),
  )
  const unlisted: string[] = []
  for (let start = 0; start < listed.length; start += AT_ONCE) {
    const some = listed.slice(start, start + AT_ONCE)
    const answers = await Promise.all(some.map((one) => isListedIn(wallet, vaultAddress, one)))
    for (const [index, answer] of answers.entries()) {
      if (!answer.ok) return null
      if (!answer.value) unlisted.push(some[index]?.address ?? '')
    }
  }
  return { owner: owner.value, version: version.value, policy: policy.value, unlisted }
}
