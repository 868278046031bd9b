/** What a vault says about itself, read by the person's own wallet. */
import { vaultAbi as abi } from '@countersign/proof/vault-artifact.ts'
import { decodeFunctionResult, encodeFunctionData, getAddress, type Hex } from 'viem'
import { readThrough } from './read-through.ts'
import type { AnnouncedWallet } from './wallets.ts'

const own =
  <Name extends 'owner' | 'policyVersion' | 'policy' | 'recipientsVersion' | 'proposal'>(
    functionName: Name,
  ) =>
  (wallet: AnnouncedWallet, vault: string) =>
    readThrough(wallet, vault, encodeFunctionData({ abi, functionName } as never), (data) =>
      decodeFunctionResult<typeof abi, Name>({ abi, functionName, data } as never),
    )

export const vaultOwnerOf = own('owner')
export const policyVersionOf = own('policyVersion')
export const policyOf = own('policy')
export const recipientsVersionOf = own('recipientsVersion')

/** Whether the account has made this signature worthless, its own or as the vault's owner. */
export function isInvalidatedBy(
  wallet: AnnouncedWallet,
  vault: string,
  { account, digest }: { account: string; digest: Hex },
) {
  const functionName = 'approvalInvalidated'
  const asked = encodeFunctionData({ abi, functionName, args: [getAddress(account), digest] })
  return readThrough(wallet, vault, asked, (data) =>
    decodeFunctionResult({ abi, functionName, data }),
  )
}

export type ListedAddress = { list: 'approver' | 'recipient'; address: string }

/** Approvers belong to a version of the policy; recipients to the vault, also while they wait. */
export function isListedIn(
  wallet: AnnouncedWallet,
  vault: string,
  { list, version, address }: ListedAddress & { version: bigint },
) {
  const account = getAddress(address)
  if (list === 'approver') {
    const functionName = 'isApprover'
    const asked = encodeFunctionData({ abi, functionName, args: [version, account] })
    return readThrough(wallet, vault, asked, (data) =>
      decodeFunctionResult({ abi, functionName, data }),
    )
  }
  const functionName = 'recipientOf'
  const asked = encodeFunctionData({ abi, functionName, args: [account] })
  return readThrough(
    wallet,
    vault,
    asked,
    (data) => decodeFunctionResult({ abi, functionName, data }).allowedFrom > 0n,
  )
}
