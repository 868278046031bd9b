/** Encodes and decodes the calls of the ERC-20 token. Pure. */
import { type Address, decodeFunctionData, encodeFunctionData, type Hex, parseAbi } from 'viem'

export const tokenAbi = parseAbi([
  'function balanceOf(address account) view returns (uint256)',
  'function allowance(address owner, address spender) view returns (uint256)',
  'function approve(address spender, uint256 amount) returns (bool)',
])

export type Approval = { spender: string; amount: bigint }

export const encodeApproval = ({ spender, amount }: Approval): Hex =>
  encodeFunctionData({
    abi: tokenAbi,
    functionName: 'approve',
    args: [spender as Address, amount],
  })

/** Undefined for any other call, and for trailing bytes after the arguments. */
export function readApproval(data: string): Approval | undefined {
  try {
    const { functionName, args } = decodeFunctionData({ abi: tokenAbi, data: data as Hex })
    if (functionName !== 'approve') return undefined
    const approval = { spender: args[0].toLowerCase(), amount: args[1] }
    return encodeApproval(approval) === data.toLowerCase() ? approval : undefined
  } catch {
    return undefined
  }
}
