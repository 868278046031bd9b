/**
 * Runs the payment engine for deposits and token approvals that the service signs: one lane per
 * wallet. The engine handles write-ahead, nonces, fees, replacement, finality and reorganisations;
 * `lane-store/` applies its decisions to deposits.
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
  /** Undefined: transactions in flight are settled, and nothing new is signed. */
  provider: (FundingProvider & SigningProvider) | undefined
  order: CalledOrder | undefined
}

/** One pass: settles the transaction in flight, or signs and sends the order. */
export async function runFundingLane(
  ctx: FundingContext,
  { control: { organizationId }, wallet, provider, order }: FundingPass,
): Promise<void> {
  const { walletId, address } = wallet
  const deps = {
    store: createFundingLaneStore({ ctx, organizationId, walletId, address, provider, order }),
    chain: ctx.paymentChain,
    // The wallet's owner may also use its key.
    executor: { kind: 'signs', holds: null } as const,
    monotonicMs: () => performance.now(),
    settings: SETTINGS,
  }
  await runLanePass(deps, { laneId: walletId })
}
