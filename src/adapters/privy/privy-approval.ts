/**
 * Sends the token approval of a wallet at Privy. The funding signer's policy does not allow it, so
 * an operator sends it with the owner's key: `npm run funding -- approve`.
 */
import { checksummed } from '@countersign/proof/values.ts'
import { encodeApproval } from '#adapters/chain/token-codec.ts'
import type { Clock } from '#platform/clock.ts'
import type { PrivyConfig } from '#platform/config/wallets.ts'
import { fits, Type } from '#platform/schema.ts'
import { Hash } from '#platform/values.ts'
import { createPrivyClient, privyUnavailable } from './privy-client.ts'

const REQUEST_LIFETIME_MS = 60_000

const Sent = Type.Object({ data: Type.Object({ hash: Hash }) })

export type PrivyApproval = {
  /** Our wallet id, which is the wallet's `external_id` at Privy. */
  walletId: string
  chainId: number
  tokenAddress: string
  vaultAddress: string
  amount: bigint
  idempotencyKey: string
}

export type ApprovalAnswer =
  | { outcome: 'sent'; transactionHash: string }
  | { outcome: 'refused'; code: string }

export async function sendPrivyApproval(
  { clock, ...options }: PrivyConfig & { clock: Clock },
  { walletId, chainId, tokenAddress, vaultAddress, amount, idempotencyKey }: PrivyApproval,
): Promise<ApprovalAnswer> {
  const answer = await createPrivyClient(options).post({
    path: `/v1/wallets/ext_wal_${walletId}/rpc`,
    body: {
      method: 'eth_sendTransaction',
      caip2: `eip155:${chainId}`,
      params: {
        transaction: {
          to: checksummed(tokenAddress),
          data: encodeApproval({ spender: vaultAddress, amount }),
          value: '0x0',
          chain_id: chainId,
        },
      },
    },
    idempotencyKey,
    expiryMs: clock.now().getTime() + REQUEST_LIFETIME_MS,
    isAuthorized: true,
  })
  if (answer.outcome === 'refused') return { outcome: 'refused', code: answer.code }
  if (!fits(Sent, answer.body)) throw privyUnavailable('answered with nothing sent')
  return { outcome: 'sent', transactionHash: answer.body.data.hash }
}
