/**
 * With a provider that only signs, nobody else can send for the wallet: its own key lets the vault
 * take as much as the policy allows, once for each control. So all deposits of a control together
 * are bounded by the token itself.
 */
import type { FundingProvider, SigningProvider } from '#ports/funding-provider.ts'
import { type ControlRow, type Depositor, lockControl } from './controls.store.ts'
import { isExpired } from './funding-control.ts'
import { asAttached, type FundingContext, providerOf } from './funding-provider.ts'
import { feesOf, lookAtWallet, settle, unavailable } from './signed-transaction.ts'
import { mayDeposit } from './task.ts'
import {
  type FundingTransaction,
  findApproval,
  findNonceAfter,
  insertTransaction,
  isInFlight,
  updateTransactionOutcome,
} from './transactions.store.ts'

type Held = { control: ControlRow; wallet: Depositor }

/**
 * `settled`: nothing of it is in flight. `denied`: the signer knows no policy that it could be for.
 * What was sent is settled by the chain's word alone, whoever the provider is now.
 */
export async function approveDeposits(
  ctx: FundingContext,
  { control, wallet }: Held,
): Promise<'settled' | 'in_flight' | 'denied'> {
  const { organizationId, id: controlId } = control
  const recorded = await ctx.db.transaction({ organizationId }, (tx) =>
    findApproval(tx, { organizationId, controlId }),
  )
  const transaction = recorded ?? (await begin(ctx, { control, wallet }))
  if (transaction === 'denied') return 'denied'
  if (!transaction || transaction.outcome !== null) return 'settled'
  if (!recorded) await ctx.laneChain.send(transaction)
  const settled = await settle(ctx, { address: wallet.address, transaction })
  if (!settled) return 'in_flight'
  const { id } = transaction
  const { outcome } = settled
  await ctx.db.transaction({ organizationId }, (tx) =>
    updateTransactionOutcome(tx, { organizationId, id, outcome }),
  )
  return 'settled'
}

type Written = FundingTransaction | 'denied' | undefined

/** Undefined when the control is no longer to be served, or not by us. */
async function begin(ctx: FundingContext, held: Held): Promise<Written> {
  const { control } = held
  if (control.state !== 'verified' || isExpired(control, ctx.clock.now())) return undefined
  const provider = providerOf(ctx, control.provider)
  return provider.kind === 'signs' ? writeAhead(ctx, provider, held) : undefined
}

async function writeAhead(
  ctx: FundingContext,
  provider: FundingProvider & SigningProvider,
  { control, wallet }: Held,
): Promise<Written> {
  const { organizationId, id: controlId } = control
  const { address } = wallet
  const seen = await lookAtWallet(ctx, address)
  if (seen.gasBalance === 0n) await provider.fundGas({ address })
  const { market, gasBalance, headNonce } =
    seen.gasBalance === 0n ? await lookAtWallet(ctx, address) : seen
  const fees = feesOf({ market })
  if (gasBalance === 0n) throw unavailable('The wallet has no gas yet.')
  const { tokenAddress } = ctx.chain
  try {
    return await ctx.db.transaction({ organizationId }, async (tx) => {
      const held = await lockControl(tx, { organizationId, controlId })
      if (!held || !(await mayDeposit(ctx, tx, held))) return undefined
      const recorded = await findApproval(tx, { organizationId, controlId })
      if (recorded) return recorded
      const nonce = Math.max(headNonce.highest, await findNonceAfter(tx, wallet.walletId))
      const asked = { ...asAttached(held, wallet), tokenAddress, nonce, fees }
      const answer = await provider.signApproval(asked)
      if (answer.outcome === 'denied') return 'denied'
      const { raw, transactionHash } = answer
      const at = ctx.clock.now()
      const row = { id: ctx.ids.next(), organizationId, controlId, actionId: null }
      const signed = { ...row, walletId: wallet.walletId, nonce, raw, transactionHash }
      await insertTransaction(tx, { ...signed, at })
      return { ...signed, outcome: null, createdAt: at.toISOString() }
    })
  } catch (error) {
    if (isInFlight(error)) throw unavailable('Another transaction of this wallet is in flight.')
    throw error
  }
}
