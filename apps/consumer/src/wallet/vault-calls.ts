/** Calls of a vault and its token that the page itself makes up, and reads of both by the wallet. */
import type { OwnerCall } from '@countersign/proof/owner-call.ts'
import type { RequestedCall } from '@countersign/proof/owner-call-comparison.ts'
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import {
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  getAddress,
  type Hex,
  parseAbi,
} from 'viem'
import { readThrough } from './read-through.ts'
import type { AnnouncedWallet } from './wallets.ts'

const tokenAbi = parseAbi([
  'function approve(address spender, uint256 amount) returns (bool)',
  'function balanceOf(address account) view returns (uint256)',
  'function allowance(address owner, address spender) view returns (uint256)',
])

export type VaultPlace = { chainId: number; vaultAddress: string; tokenAddress: string }

/** Calls that need no preparation by the service: the wallet's owner decides all of them alone. */
export type OwnCall = Exclude<
  OwnerCall,
  {
    name: 'deployVault' | 'configurePolicy' | 'configurePolicyAndRecipients' | 'changeRecipients'
  }
>

/** What the vault's ABI calls the arguments, in its order. */
function dataOf(call: OwnCall): Hex {
  const abi = vaultAbi
  const functionName = call.name
  switch (functionName) {
    case 'approve':
      return encodeFunctionData({
        abi: tokenAbi,
        functionName,
        args: [call.spender, call.amount],
      })
    case 'deposit':
    case 'withdraw':
      return encodeFunctionData({ abi, functionName, args: [call.amount] })
    case 'rescue':
      return encodeFunctionData({ abi, functionName, args: [call.token, call.amount] })
    case 'emergencyPause':
      return encodeFunctionData({ abi, functionName })
    case 'unpause':
      return encodeFunctionData({ abi, functionName, args: [call.pauseNumber] })
    case 'veto':
      return encodeFunctionData({ abi, functionName, args: [call.proposalId] })
    case 'activatePolicy':
      return encodeFunctionData({ abi, functionName, args: [call.expectedVersion, call.policy] })
    case 'blockRecipient':
    case 'unblockRecipient':
      return encodeFunctionData({ abi, functionName, args: [call.recipient] })
    case 'revokeApprover':
      return encodeFunctionData({ abi, functionName, args: [call.approver] })
    case 'invalidateApproval':
      return encodeFunctionData({ abi, functionName, args: [call.digest] })
  }
}

export const placeOf = (vault: {
  chainId: number
  address: string
  tokenAddress: string
}): VaultPlace => ({
  chainId: vault.chainId,
  vaultAddress: vault.address,
  tokenAddress: vault.tokenAddress,
})

/** The transaction, and what was asked for, to be checked like one that came from the service. */
export function ownCall(
  call: OwnCall,
  { chainId, vaultAddress, tokenAddress }: VaultPlace,
): { transaction: { chainId: number; to: Address; data: Hex }; requested: RequestedCall } {
  const to = getAddress(call.name === 'approve' ? tokenAddress : vaultAddress)
  return {
    transaction: { chainId, to, data: dataOf(call) },
    requested: { ...call, chainId, to },
  }
}

export const tokenBalanceOf = (wallet: AnnouncedWallet, token: string, account: Address) =>
  readThrough(
    wallet,
    token,
    encodeFunctionData({ abi: tokenAbi, functionName: 'balanceOf', args: [account] }),
    (data) => decodeFunctionResult({ abi: tokenAbi, functionName: 'balanceOf', data }),
  )

export const tokenAllowanceOf = (
  wallet: AnnouncedWallet,
  token: string,
  { account, spender }: { account: Address; spender: string },
) =>
  readThrough(
    wallet,
    token,
    encodeFunctionData({
      abi: tokenAbi,
      functionName: 'allowance',
      args: [account, getAddress(spender)],
    }),
    (data) => decodeFunctionResult({ abi: tokenAbi, functionName: 'allowance', data }),
  )
