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
import { type AnnouncedWallet, callThroughWallet, type WalletResult } from './wallets.ts'

const tokenAbi = parseAbi([
  'function approve(address spender, uint256 amount) returns (bool)',
  'function balanceOf(address account) view returns (uint256)',
  'function allowance(address owner, address spender) view returns (uint256)',
])

export type VaultPlace = { chainId: number; vaultAddress: string; tokenAddress: string }

export type OwnCall = Extract<
  OwnerCall,
  { name: 'approve' | 'deposit' | 'withdraw' | 'emergencyPause' }
>

function dataOf(call: OwnCall): Hex {
  switch (call.name) {
    case 'approve':
      return encodeFunctionData({
        abi: tokenAbi,
        functionName: 'approve',
        args: [call.spender, call.amount],
      })
    case 'deposit':
      return encodeFunctionData({ abi: vaultAbi, functionName: 'deposit', args: [call.amount] })
    case 'withdraw':
      return encodeFunctionData({ abi: vaultAbi, functionName: 'withdraw', args: [call.amount] })
    case 'emergencyPause':
      return encodeFunctionData({ abi: vaultAbi, functionName: 'emergencyPause' })
  }
}

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

async function readThrough<Value>(
  wallet: AnnouncedWallet,
  to: string,
  data: Hex,
  decode: (data: Hex) => Value,
): Promise<WalletResult<Value>> {
  const answer = await callThroughWallet(wallet, getAddress(to), data)
  if (!answer.ok) return answer
  try {
    return { ok: true, value: decode(answer.value) }
  } catch {
    return { ok: false, problem: 'failed', message: 'The answer is not that of a vault.' }
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

export const vaultOwnerOf = (wallet: AnnouncedWallet, vault: string) =>
  readThrough(wallet, vault, encodeFunctionData({ abi: vaultAbi, functionName: 'owner' }), (data) =>
    decodeFunctionResult({ abi: vaultAbi, functionName: 'owner', data }),
  )

export const policyVersionOf = (wallet: AnnouncedWallet, vault: string) =>
  readThrough(
    wallet,
    vault,
    encodeFunctionData({ abi: vaultAbi, functionName: 'policyVersion' }),
    (data) => decodeFunctionResult({ abi: vaultAbi, functionName: 'policyVersion', data }),
  )

export const policyOf = (wallet: AnnouncedWallet, vault: string) =>
  readThrough(
    wallet,
    vault,
    encodeFunctionData({ abi: vaultAbi, functionName: 'policy' }),
    (data) => decodeFunctionResult({ abi: vaultAbi, functionName: 'policy', data }),
  )

export const isListedIn = (
  wallet: AnnouncedWallet,
  vault: string,
  { list, version, address }: { list: 'approver' | 'recipient'; version: bigint; address: string },
) => {
  const functionName = list === 'approver' ? ('isApprover' as const) : ('isRecipient' as const)
  return readThrough(
    wallet,
    vault,
    encodeFunctionData({ abi: vaultAbi, functionName, args: [version, getAddress(address)] }),
    (data) => decodeFunctionResult({ abi: vaultAbi, functionName, data }),
  )
}
