/**
 * With a provider that only signs, nobody else can send for the wallet: its own key lets the vault
 * take as much as the policy allows, once for each control. So all deposits of a control together
 * are bounded by the token itself.
 */
import { findApproval } from '#funding/lane-store/transactions.store.ts'
import { AppError } from '#platform/errors.ts'
import type { ControlRow, Depositor } from './controls.store.ts'
import { isExpired } from './funding-control.ts'
import { asAttached, type FundingContext, providerOf } from './funding-provider.ts'
import { type FundingPass, runFundingLane } from './run-funding-lane.ts'
import { mayDeposit } from './task.ts'

type Held = { control: ControlRow; wallet: Depositor }

/** The first asks for gas, the second sends, the third finds it mined where that takes no time. */
const PASSES_TO_SIGN = 3

/**
 * `settled`: nothing of it is in flight. `denied`: the signer knows no policy that it could be for.
 * What was sent is settled by the chain alone, whoever the provider is now.
 */
export async function approveDeposits(
  ctx: FundingContext,
  held: Held,
): Promise<'settled' | 'in_flight' | 'denied'> {
  const asked = await passFor(ctx, held)
  if (asked === 'denied' || asked === 'settled') return asked
  const passes = asked.order ? PASSES_TO_SIGN : 1
  for (let pass = 0; pass < passes; pass += 1) {
    await runFundingLane(ctx, asked)
    const approval = await recordedOf(ctx, held)
    if (approval && approval.outcome !== null) return 'settled'
  }
  if (await recordedOf(ctx, held)) return 'in_flight'
  throw new AppError('dependency_unavailable', {
    message: 'The approval cannot be signed yet.',
    retryAfterSeconds: 2,
  })
}

const recordedOf = (ctx: FundingContext, { control: { organizationId, id } }: Held) =>
  ctx.db.transaction({ organizationId }, (tx) =>
    findApproval(tx, { organizationId, controlId: id }),
  )

/** `settled` too when the control is no longer to be served, or not by us. */
async function passFor(
  ctx: FundingContext,
  { control, wallet }: Held,
): Promise<FundingPass | 'settled' | 'denied'> {
  const approval = await recordedOf(ctx, { control, wallet })
  const provider = ctx.fundingProvider?.type === control.provider ? ctx.fundingProvider : undefined
  const signer = provider?.kind === 'signs' ? provider : undefined
  if (approval) {
    const isOver = approval.outcome !== null
    return isOver ? 'settled' : { control, wallet, provider: signer, order: undefined }
  }
  if (control.state !== 'verified' || isExpired(control, ctx.clock.now())) return 'settled'
  if (providerOf(ctx, control.provider).kind !== 'signs' || !signer) return 'settled'
  const { organizationId } = control
  if (!(await ctx.db.transaction({ organizationId }, (tx) => mayDeposit(ctx, tx, control)))) {
    return 'settled'
  }
  const { tokenAddress } = ctx.chain
  const allowed = await signer.approvalCall({ ...asAttached(control, wallet), tokenAddress })
  if (allowed.outcome === 'denied') return 'denied'
  const order = { control, wallet, action: null, call: allowed.call }
  return { control, wallet, provider: signer, order }
}
