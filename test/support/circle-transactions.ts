/** Transactions of the Circle emulator: the fate of each, and what is reported of it. */
import { randomBytes, randomUUID } from 'node:crypto'
import type { Hex } from 'viem'
import type { Account } from '#test/support/circle-chain.ts'

type CircleState =
  | 'INITIATED'
  | 'CLEARED'
  | 'QUEUED'
  | 'SENT'
  | 'STUCK'
  | 'CONFIRMED'
  | 'COMPLETE'
  | 'FAILED'
  | 'DENIED'
  | 'CANCELLED'

/** The fate of a transaction. By default it is sent immediately and reported truthfully. */
export type Fate = {
  /** `when told`: by `proceed`. */
  sends?: 'at once' | 'when told' | 'never'
  /** Reported instead of the truth once it was sent, or from the start where nothing is. */
  says?: CircleState | (string & {})
  reason?: string
  /** Reports the hash of a transaction that nobody will ever see. */
  namesNothing?: boolean
  /** Sent although the call cannot succeed, as when the chain has changed since the estimate. */
  skipsEstimate?: boolean
  /** From SENT to COMPLETE directly, as on some chains. */
  skipsConfirmed?: boolean
}

export const fates = {
  denied: { sends: 'never', says: 'DENIED', reason: 'TRANSACTION_DENIED' },
  failed: { sends: 'never', says: 'FAILED', reason: 'FAILED_BEFORE_BROADCAST' },
  cancelled: { sends: 'never', says: 'CANCELLED' },
  stuck: { sends: 'when told', says: 'STUCK' },
  held: { sends: 'when told' },
  /** Paid, but reported as failed, with its hash. */
  saidToFail: { sends: 'at once', says: 'FAILED', reason: 'FAILED_ON_CHAIN' },
  /** Reported as complete, with a hash, although nothing was ever sent. */
  saidToPay: { sends: 'never', says: 'COMPLETE', namesNothing: true },
} as const satisfies Record<string, Fate>

export type EmulatedTransaction = {
  id: string
  idempotencyKey: string
  walletId: string
  contractAddress: string
  callData: string
  refId: string | undefined
  /** The reported state. */
  state: string
  /** The reported hash. */
  txHash: string | undefined
  errorReason: string | undefined
  fate: Fate
  /** Requests with its key, the first included. */
  requests: number
}

type Json = Record<string, unknown>
type AccountOf = (walletId: string) => Account

export function createTransactions({
  accountOf,
  blockchain,
}: {
  /** Undefined without a chain: nothing is ever sent. */
  accountOf: AccountOf | undefined
  blockchain: string
}) {
  const transactions: EmulatedTransaction[] = []
  const coming: Fate[] = []
  const proceed = async (transaction: EmulatedTransaction) => {
    if (accountOf) await carryOut(accountOf(transaction.walletId), transaction)
  }
  return {
    transactions,
    comingFates: coming,
    proceed,
    /** Answers before anything is sent, as Circle does. */
    execute(body: Json): Json {
      const fate: Fate = coming.shift() ?? {}
      const isAtOnce = (fate.sends ?? 'at once') === 'at once'
      const transaction: EmulatedTransaction = {
        id: randomUUID(),
        idempotencyKey: String(body.idempotencyKey),
        walletId: String(body.walletId),
        contractAddress: String(body.contractAddress),
        callData: String(body.callData),
        refId: body.refId as string | undefined,
        state: (!isAtOnce && fate.says) || 'INITIATED',
        txHash: fate.namesNothing ? `0x${randomBytes(32).toString('hex')}` : undefined,
        errorReason: fate.reason,
        fate,
        requests: 1,
      }
      transactions.push(transaction)
      const { id, state } = transaction
      if (isAtOnce) void proceed(transaction)
      return { id, state }
    },
    async look(transaction: EmulatedTransaction): Promise<Json> {
      if (accountOf) await followChain(accountOf(transaction.walletId), transaction)
      return { transaction: { ...shown(transaction), blockchain } }
    },
    findTransaction: (id: string) => transactions.find((transaction) => transaction.id === id),
  }
}

async function carryOut(account: Account, transaction: EmulatedTransaction): Promise<void> {
  const { sends, says, skipsEstimate } = transaction.fate
  const fail = (reason: string) => {
    transaction.errorReason = reason
    transaction.state = 'FAILED'
  }
  try {
    transaction.state = 'QUEUED'
    const obstacle = skipsEstimate ? undefined : await account.obstacle(transaction)
    if (obstacle) return fail(obstacle)
    transaction.txHash = await account.send(transaction)
    transaction.state = sends === 'when told' ? 'SENT' : (says ?? 'SENT')
  } catch {
    fail('FAILED_TO_BROADCAST')
  }
}

/** SENT, CONFIRMED and COMPLETE follow the chain, one step per status query. */
async function followChain(account: Account, transaction: EmulatedTransaction): Promise<void> {
  const { state, txHash, fate } = transaction
  if (state === 'CONFIRMED') transaction.state = 'COMPLETE'
  if (state !== 'SENT' || !txHash) return
  const outcome = await account.outcome(txHash as Hex)
  if (outcome === 'success') transaction.state = fate.skipsConfirmed ? 'COMPLETE' : 'CONFIRMED'
  if (outcome === 'reverted') {
    transaction.state = 'FAILED'
    transaction.errorReason = 'FAILED_ON_CHAIN'
  }
}

const shown = ({ fate: _ours, requests: _counted, ...transaction }: EmulatedTransaction): Json => ({
  ...transaction,
  custodyType: 'DEVELOPER',
  operation: 'CONTRACT_EXECUTION',
  transactionType: 'OUTBOUND',
})
