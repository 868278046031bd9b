/**
 * Job: observes the wallet and the provider, because reads never wait for either. It also maintains
 * the token approval and checks that a verified control is still equal.
 */
import { timestampToSeconds } from '@countersign/proof/values.ts'
import type { Context } from '#context.ts'
import { SYSTEM } from '#journal/actor.ts'
import type { Tx } from '#platform/database/database.ts'
import { isUnavailable } from '#platform/errors.ts'
import type { JobPayloads } from '#platform/jobs/jobs.ts'
import type { Readback } from '#ports/funding-provider.ts'
import { approveDeposits } from './approve-deposits.ts'
import {
  type ControlRow,
  type Depositor,
  findControlById,
  findControlWallet,
  lockControl,
  updateControlFacts,
  type WalletFacts,
} from './controls.store.ts'
import { enqueueWatch } from './enqueue-watch.ts'
import { isCurrent, isExpired } from './funding-control.ts'
import { asAttached, type FundingContext, providerOf } from './funding-provider.ts'
import { moveControl } from './move-control.ts'

const WATCH_EVERY_SECONDS = 15
const WATCH_IN_FLIGHT_SECONDS = 1
/** Providers limit the request rate: read back less often, unless it was unavailable. */
const READ_BACK_EVERY_SECONDS = 300

type Payload = JobPayloads['watch_funding']

export async function watchControl(ctx: FundingContext, payload: Payload): Promise<void> {
  const { organizationId } = payload
  const found = await ctx.db.read({ organizationId }, async (reader) => {
    const control = await findControlById(reader, payload)
    const wallet = control && (await findControlWallet(reader, control))
    return control && wallet && { control, wallet }
  })
  if (!found) return
  const { control, wallet } = found
  const approval = await approveDeposits(ctx, found).catch(ifUnavailable('silent'))
  const facts = await readWallet(ctx, control, wallet).catch(ifUnavailable(null))
  const isDoubted = approval === 'denied'
  const readback = await readBackInTime(ctx, { ...found, isDoubted }).catch(
    ifUnavailable('silent' as const),
  )
  await ctx.db.transaction({ organizationId }, async (tx) => {
    const held = await lockControl(tx, payload)
    if (!held) return
    await write(ctx, tx, held, { facts, readback })
    const isOver = !isCurrent(held) || isExpired(held, ctx.clock.now())
    // A sent approval must be settled even if its control has ended.
    if (isOver && (approval === 'settled' || approval === 'denied')) return
    const isSoon = approval === 'in_flight'
    enqueueWatch(ctx, tx, payload, isSoon ? WATCH_IN_FLIGHT_SECONDS : WATCH_EVERY_SECONDS)
  })
}

const ifUnavailable =
  <T>(instead: T) =>
  (error: unknown): T => {
    if (!isUnavailable(error)) throw error
    return instead
  }

async function readWallet(
  { chain }: Pick<Context, 'chain'>,
  { vaultAddress: spender }: ControlRow,
  { address }: Depositor,
): Promise<WalletFacts> {
  const { number: blockNumber } = await chain.latestBlock()
  const [allowance, balance, gasWei] = await Promise.all([
    chain.tokenAllowance({ owner: address, spender, blockNumber }),
    chain.tokenBalance({ address, blockNumber }),
    chain.nativeBalance(address),
  ])
  return { allowance, balance, gasWei }
}

/** Undefined when it is not due. */
async function readBackInTime(
  ctx: FundingContext,
  { control, wallet, isDoubted }: { control: ControlRow; wallet: Depositor; isDoubted: boolean },
): Promise<Readback | undefined> {
  if (control.state !== 'verified' || isExpired(control, ctx.clock.now())) return undefined
  const now = timestampToSeconds(ctx.clock.now().toISOString())
  const age = now - timestampToSeconds(control.readbackAt ?? control.createdAt)
  const isDue = isDoubted || control.isProviderSilent || age >= READ_BACK_EVERY_SECONDS
  if (!isDue) return undefined
  return providerOf(ctx, control.provider).readBack(asAttached(control, wallet))
}

async function write(
  ctx: FundingContext,
  tx: Tx,
  control: ControlRow,
  seen: { facts: WalletFacts | null; readback: Readback | 'silent' | undefined },
): Promise<void> {
  const { organizationId, id: controlId } = control
  const { facts: wallet, readback } = seen
  const isSilent = readback === 'silent'
  const isEqual = typeof readback === 'object' && readback.outcome === 'equal'
  updateControlFacts(tx, {
    organizationId,
    controlId,
    wallet,
    isProviderSilent: isSilent || (readback === undefined && control.isProviderSilent),
    readbackAt: isEqual ? ctx.clock.now() : null,
  })
  const isChanged = typeof readback === 'object' && readback.outcome === 'different'
  if (!isChanged || control.state !== 'verified') return
  const failureCode = readback.code
  const how = { event: 'fail', actor: SYSTEM, isReadBack: true, failureCode } as const
  await moveControl(ctx, tx, { control, ...how })
}
