/** Which token an owner wants back, and how much of it, as typed. */
import { type Address, getAddress, isAddress } from 'viem'

export type RescueWish = { token: Address; amount: bigint }
export type RescueProblems = { token?: 'no_address' | 'own_token'; amount?: 'no_number' }

const AMOUNT_MAX = (1n << 256n) - 1n

export function parseRescue(
  typed: { token: string; amount: string },
  ownToken: string,
): { ok: true; wish: RescueWish } | { ok: false; problems: RescueProblems } {
  const problems: RescueProblems = {}
  const token = typed.token.trim()
  const text = typed.amount.trim()
  // A wrong letter of a checksummed address is noticed; lower case alone has none.
  if (!isAddress(token)) problems.token = 'no_address'
  else if (token.toLowerCase() === ownToken.toLowerCase()) problems.token = 'own_token'
  const amount = /^\d{1,78}$/.test(text) ? BigInt(text) : 0n
  if (amount === 0n || amount > AMOUNT_MAX) problems.amount = 'no_number'
  if (Object.keys(problems).length > 0) return { ok: false, problems }
  return { ok: true, wish: { token: getAddress(token), amount } }
}
