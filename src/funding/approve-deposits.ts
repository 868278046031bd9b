/**
 * Token approvals, for a provider that only signs. The wallet approves the policy's maximum to the
 * vault once per control, so the token contract itself limits the deposits of a control.
 */
import { findApproval } from '#funding/lane-store/transactions.store.ts'
import { AppError } from '#platform/errors.ts'
import type { ControlRow, Depositor } from './controls.store.ts'
import { isExpired } from './funding-control.ts'
import { asAttached, type FundingContext, providerOf } from './funding-provider.ts'
import { mayDeposit } from './open-action.ts'
import { type FundingPass, runFundingLane } from './run-funding-lane.ts'

type Held = { control: ControlRow; wallet: Depositor }

/** The first pass requests gas, the second sends, the third finds it mined on a fast chain. */
const PASSES_TO_SIGN = 3

/**
 * `settled`: nothing is in flight. `denied`: the signer has no matching policy. A sent approval is
 * settled by the chain alone, even if the provider has changed.
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
    message: 'The token approval cannot be signed yet. Retry shortly.',
    retryAfterSeconds: 2,
  })
}

const recordedOf = (ctx: FundingContext, { control: { organizationId, id } }: Held) =>
  ctx.db.read({ organizationId }, (reader) =>
    findApproval(reader, { organizationId, controlId: id }),
  )

/** Also `settled` when the control has ended or belongs to another provider. */
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
