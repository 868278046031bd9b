/** What the wallet reads of a vault before its owner signs a new policy. */
import { getAddress } from 'viem'
import { type DescribedVault, isVaultOf } from '../../wallet/is-vault-of.ts'
import {
  isListedIn,
  policyOf,
  policyVersionOf,
  recipientsVersionOf,
  vaultOwnerOf,
} from '../../wallet/vault-reads.ts'
import { type AnnouncedWallet, codeThroughWallet } from '../../wallet/wallets.ts'
import type { ChainPolicy } from './chain-agreement.ts'
import type { PolicyDifference } from './policy-difference.ts'

/** Wallets limit how much they are asked at once. */
const AT_ONCE = 16

/** `unread`: the wallet could not read all of it. `no_vault`: at the address is another contract. */
export type ReadPolicy =
  | { state: 'read'; chain: ChainPolicy }
  | { state: 'unread' }
  | { state: 'no_vault' }

const UNREAD: ReadPolicy = { state: 'unread' }

export async function readChainPolicy(
  wallet: AnnouncedWallet,
  described: DescribedVault,
  difference: PolicyDifference,
): Promise<ReadPolicy> {
  const { vault: vaultAddress } = described
  const [code, owner, version, policy, recipients] = await Promise.all([
    codeThroughWallet(wallet, getAddress(vaultAddress)),
    vaultOwnerOf(wallet, vaultAddress),
    policyVersionOf(wallet, vaultAddress),
    policyOf(wallet, vaultAddress),
    recipientsVersionOf(wallet, vaultAddress),
  ])
  // Before anything else: a counterfeit may answer the rest, or none of it.
  if (code.ok && !isVaultOf(code.value, described)) return { state: 'no_vault' }
  if (!code.ok || !owner.ok || !version.ok || !policy.ok || !recipients.ok) return UNREAD
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
      if (!answer.ok) return UNREAD
      if (!answer.value) unlisted.push(some[index]?.address ?? '')
    }
  }
  const chain = {
    owner: owner.value,
    version: version.value,
    recipientsVersion: recipients.value,
    policy: policy.value,
    unlisted,
  }
  return { state: 'read', chain }
}
