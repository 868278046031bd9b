/** Reads of contracts by the person's own wallet, never by the service. */
import { getAddress, type Hex } from 'viem'
import { type AnnouncedWallet, callThroughWallet, type WalletResult } from './wallets.ts'

export async function readThrough<Value>(
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
