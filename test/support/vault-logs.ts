/** Logs of vaults, applied to the treasury as the follower does. */
import type { VaultEvent } from '#ports/chain.ts'
import type { TestApp } from '#test/support/app.ts'
import type { ExpenseHouse } from '#test/support/expenses.ts'
import { treasuryLogHandlers } from '#treasury/apply-log.ts'
import { NO_LIMITS } from '#treasury/policy-limits.ts'

type Place = Pick<ExpenseHouse, 'vaultAddress'>

const hashOf = (n: number): string => `0x${n.toString(16).padStart(64, '0')}`

/** Blocks are a second apart, from this one on. */
export const GENESIS_SECONDS = 1_700_000_000

const vaultOf = ({ vaultAddress }: Place): string => vaultAddress.toLowerCase()

/** A vault, the number of a block, and what the vault logs in it. */
export type Logged = [Place, number, VaultEvent]

export async function applyLogs({ ctx }: Pick<TestApp, 'ctx'>, ...logs: Logged[]): Promise<void> {
  const timed = logs.map(([place, blockNumber, event], logIndex) => ({
    log: {
      vaultAddress: vaultOf(place),
      blockNumber,
      blockHash: hashOf(blockNumber),
      logIndex,
      transactionHash: hashOf(1_000 * blockNumber + logIndex),
      event,
    },
    timeSeconds: GENESIS_SECONDS + blockNumber,
  }))
  await ctx.db.transaction({}, (tx) => treasuryLogHandlers(ctx).apply(tx, timed))
}

export const rollBackLogs = (
  { ctx }: Pick<TestApp, 'ctx'>,
  toBlock: number,
  ...places: Place[]
): Promise<void> =>
  ctx.db.transaction({}, (tx) =>
    treasuryLogHandlers(ctx).rollBack(tx, { toBlock, vaultAddresses: places.map(vaultOf) }),
  )

type Configured = Extract<VaultEvent, { name: 'PolicyConfigured' }>

export const APPROVER = `0x${'a1'.repeat(20)}`

export const configured = (
  version: number,
  change: Partial<Configured['policy']> = {},
): VaultEvent => ({
  name: 'PolicyConfigured',
  version,
  policy: {
    executorAddress: `0x${'e1'.repeat(20)}`,
    approverAddresses: [APPROVER],
    ...NO_LIMITS,
    approvedCap: 3n,
    automaticCap: 2n,
    lifetimeCap: 9n,
    reserveFloor: 1n,
    expiresAtSeconds: 4_000_000_000,
    automaticEnabled: true,
    paused: false,
    ...change,
  },
})

export const paused = (version: number, pauseNumber: number): VaultEvent => ({
  name: 'EmergencyPaused',
  version,
  by: `0x${'ab'.repeat(20)}`,
  pauseNumber,
})

export const unpaused = (version: number, pauseNumber: number): VaultEvent => ({
  name: 'Unpaused',
  version,
  pauseNumber,
})

export const recipientsChanged = (
  recipientsVersion: number,
  { added = [], removed = [] }: { added?: string[]; removed?: string[] },
  allowedFromSeconds = GENESIS_SECONDS,
): VaultEvent => ({
  name: 'RecipientsChanged',
  recipientsVersion,
  allowedFromSeconds,
  added,
  removed,
})

export const executed = (
  id: number,
  amount: bigint,
  mode: 'approved' | 'automatic' = 'approved',
): VaultEvent => ({
  name: 'PaymentExecuted',
  chainPaymentId: hashOf(id),
  mode,
  amount,
  recipientAddress: `0x${'c1'.repeat(20)}`,
  policyVersion: 1,
  reportHash: hashOf(2),
  expenseVersionHash: hashOf(3),
  approvalDigests: [hashOf(4)],
  approverAddresses: [APPROVER],
  spentTotal: amount,
})
