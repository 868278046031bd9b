/**
 * Deposits and token approvals of a wallet that signs here go through the payment engine: one lane
 * for each wallet. Write-ahead, nonces, fees, replacement, finality and reorganisations are the
 * engine's; `lane-store/` says what they mean for a deposit.
 */
import { createFundingLaneStore } from '#funding/lane-store/lane-store.ts'
import { type CalledOrder, DOUBTED_AFTER_MS } from '#funding/lane-store/orders.ts'
import type { LaneSettings } from '#payments/engine/lane.ts'
import { runLanePass } from '#payments/engine/run-lane.ts'
import { LANE_SETTINGS } from '#payments/work-lane.ts'
import type { FundingProvider, SigningProvider } from '#ports/funding-provider.ts'
import type { ControlRow, Depositor } from './controls.store.ts'
import type { FundingContext } from './funding-provider.ts'

const SETTINGS: LaneSettings = {
  ...LANE_SETTINGS,
  inFlightMax: 1,
  loseAfterMs: DOUBTED_AFTER_MS,
}

export type FundingPass = {
  control: ControlRow
  wallet: Depositor
  /** Undefined: what is in flight is only settled. */
  provider: (FundingProvider & SigningProvider) | undefined
  order: CalledOrder | undefined
}

/** One pass: settles what the wallet has in flight, or signs and sends the order. */
export async function runFundingLane(
  ctx: FundingContext,
  { control: { organizationId }, wallet, provider, order }: FundingPass,
): Promise<void> {
  const { walletId, address } = wallet
  const deps = {
    store: createFundingLaneStore({ ctx, organizationId, walletId, address, provider, order }),
    chain: ctx.laneChain,
    // The wallet's owner may use its key as well.
    executor: { kind: 'signs', holds: null } as const,
    monotonicMs: () => performance.now(),
    settings: SETTINGS,
  }
  await runLanePass(deps, { laneId: walletId })
}
