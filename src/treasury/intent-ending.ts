/**
 * Decides how an intent ends from the state of its transaction on chain. Shared by both kinds of
 * intent.
 */
import type { Context } from '#context.ts'
import { addSeconds } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import type { PreparedTransaction } from '#ports/chain.ts'
import type { IntentHead } from './intents.store.ts'
import { judge, type TransactionVerdict } from './judge-transaction.ts'

export type SettleContext = Pick<Context, 'db' | 'chain' | 'clock' | 'ids' | 'log'>

const LOST_AFTER_SECONDS = 120
const NOT_FOUND_AFTER_SECONDS = 24 * 60 * 60

export type IntentOutcome =
  | { event: 'confirm'; finish: (tx: Tx) => Promise<string | number> }
  | { event: 'reject' | 'fail'; failureCode: string }
  | { event: 'lose' }
  /** The policy waits: only its activation, a veto or time end the intent. */
  | { event: 'propose'; proposalRowId: string }

export const isOpen = ({ state }: Pick<IntentHead, 'state'>): boolean =>
  state === 'submitted' || state === 'reconciling'

export async function judgeOnChain(
  ctx: SettleContext,
  {
    hash,
    prepared,
    ownerAddress,
  }: {
    hash: string
    prepared: PreparedTransaction
    ownerAddress: string
  },
): Promise<{ verdict: TransactionVerdict; headNumber: number }> {
  const transaction = await ctx.chain.findTransaction(hash)
  const receipt = transaction?.receipt
  const { number: headNumber } = await ctx.chain.latestBlock()
  const canonical = receipt ? await ctx.chain.findBlock(receipt.blockNumber) : undefined
  const at = { address: ownerAddress, blockNumber: headNumber }
  const verdict = judge(prepared, {
    transaction,
    canonicalHash: canonical?.hash,
    headNumber,
    confirmations: ctx.chain.confirmations,
    ownerIsContract: await ctx.chain.hasCode(at),
  })
  return { verdict, headNumber }
}

/** The endings that both kinds share. Undefined while the outcome is open: the job polls again. */
export function judgeCommon(
  ctx: SettleContext,
  verdict: TransactionVerdict,
  submittedAt: string | null,
): IntentOutcome | undefined {
  const now = ctx.clock.now()
  const isOlderThan = (seconds: number) =>
    submittedAt !== null && submittedAt <= addSeconds(now, -seconds).toISOString()
  if (verdict.outcome === 'mismatch') {
    return { event: 'reject', failureCode: 'transaction_mismatch' }
  }
  if (verdict.outcome === 'unseen' && isOlderThan(NOT_FOUND_AFTER_SECONDS)) {
    return { event: 'fail', failureCode: 'transaction_not_found' }
  }
  if (verdict.outcome === 'unseen' && isOlderThan(LOST_AFTER_SECONDS)) return { event: 'lose' }
  return undefined
}
