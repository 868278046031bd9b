/** Applies vault logs to the treasury: balances, spent totals, policies and payments. */
import { checksummed, secondsToTimestamp } from '@countersign/proof/values.ts'
import type { LogHandlers, TimedLog } from '#chain/log-handlers.ts'
import type { Context } from '#context.ts'
import { SYSTEM } from '#journal/actor.ts'
import { integrationChange, recordChange } from '#journal/journal.ts'
import { rescope, type Tx } from '#platform/database/database.ts'
import type { VaultLog } from '#ports/chain.ts'
import { listServerWalletsAmong } from '#wallets/wallets.store.ts'
import { findPreparedPolicy } from './intents.store.ts'
import { deletePoliciesAbove, insertPolicy, markPolicyPaused } from './policies.store.ts'
import {
  addToVault,
  deleteVaultPaymentsAbove,
  findVaultByAddress,
  insertVaultPayment,
  recountVault,
  type VaultRow,
} from './vaults.store.ts'

/** The end of year 9999: the contract accepts any number, a timestamp does not. */
const LAST_SECOND = 253_402_300_799

type HandlerContext = Pick<Context, 'clock' | 'ids' | 'chain' | 'reactions'>
type Applied = { vault: VaultRow; log: VaultLog; timeSeconds: number }

type EnterVaultScope = (tx: Tx, address: string) => Promise<VaultRow | undefined>

/** Finds the vault by its address and switches the transaction to its organization's scope. */
function vaultScope({ chain }: HandlerContext): EnterVaultScope {
  /** The vault that each transaction is scoped to: consecutive logs are often of one vault. */
  const scopes = new WeakMap<Tx, VaultRow>()
  return async (tx, address) => {
    const current = scopes.get(tx)
    if (current?.address === address) return current
    scopes.delete(tx)
    await rescope(tx, { vaultAddress: address })
    const vault = await findVaultByAddress(tx, { chainId: chain.chainId, address })
    if (!vault) return undefined
    await rescope(tx, { organizationId: vault.organizationId })
    scopes.set(tx, vault)
    return vault
  }
}

export function treasuryLogHandlers(ctx: HandlerContext): LogHandlers {
  const enterVault = vaultScope(ctx)
  return {
    async open(tx, { vaultAddress, openingBalance }) {
      const vault = await enterVault(tx, vaultAddress)
      if (!vault) return
      const { organizationId, id: vaultId } = vault
      addToVault(tx, { organizationId, vaultId, balance: openingBalance })
    },

    async apply(tx, logs) {
      for (const group of groupByVault(logs)) {
        const vault = await enterVault(tx, group[0]?.log.vaultAddress ?? '')
        if (!vault) continue
        for (const one of group) await applyLog(ctx, tx, { vault, ...one })
        const { organizationId, id: vaultId } = vault
        const logged = group.map(({ log }) => log)
        await ctx.reactions.vaultLogged(tx, { organizationId, vaultId, logs: logged })
      }
    },

    async rollBack(tx, { toBlock, vaultAddresses }) {
      for (const address of vaultAddresses) {
        const vault = await enterVault(tx, address)
        if (!vault) continue
        const { organizationId, id: vaultId } = vault
        const above = { organizationId, vaultId, blockNumber: toBlock }
        await deletePoliciesAbove(tx, above)
        await deleteVaultPaymentsAbove(tx, above)
        await recountVault(tx, { organizationId, vaultId })
        await ctx.reactions.vaultRolledBack(tx, { organizationId, vaultId })
      }
    },
  }
}

/** Groups consecutive logs of the same vault. */
function groupByVault(logs: readonly TimedLog[]): TimedLog[][] {
  const groups: TimedLog[][] = []
  for (const one of logs) {
    const last = groups.at(-1)
    if (last?.[0]?.log.vaultAddress === one.log.vaultAddress) last.push(one)
    else groups.push([one])
  }
  return groups
}

/**
 * Writes without a result are not awaited; they are pipelined with the next query or the commit.
 */
async function applyLog(ctx: HandlerContext, tx: Tx, applied: Applied): Promise<void> {
  const { vault, log, timeSeconds } = applied
  const { event, blockNumber, transactionHash } = log
  const key = { organizationId: vault.organizationId, vaultId: vault.id }
  switch (event.name) {
    case 'TokenReceived':
      return addToVault(tx, { ...key, balance: event.amount })
    case 'TokenSent':
      return addToVault(tx, { ...key, balance: -event.amount })
    case 'PaymentExecuted': {
      const { chainPaymentId, recipientAddress, amount } = event
      const payment = { chainPaymentId, recipientAddress, amount, transactionHash, blockNumber }
      insertVaultPayment(tx, { ...key, ...payment, timeSeconds })
      return addToVault(tx, { ...key, spent: amount })
    }
    case 'PolicyConfigured':
      return applyPolicy(ctx, tx, applied)
    case 'EmergencyPaused':
      return applyPause(ctx, tx, applied)
    default:
      return undefined
  }
}

/** Stores a policy that the service did not prepare as well, and reports it as drift. */
async function applyPolicy(ctx: HandlerContext, tx: Tx, { vault, log }: Applied): Promise<void> {
  const { event, blockNumber, transactionHash } = log
  if (event.name !== 'PolicyConfigured') return
  const { organizationId, id: vaultId } = vault
  const { version, policy } = event
  const { expiresAtSeconds, ...terms } = policy
  const id = ctx.ids.next()
  const expiresAt = secondsToTimestamp(Math.min(expiresAtSeconds, LAST_SECOND))
  const stored = { ...terms, expiresAt, organizationId, vaultId, version }
  await insertPolicy(tx, {
    ...stored,
    id,
    chainTransactionHash: transactionHash,
    blockNumber,
    at: ctx.clock.now(),
  })
  addToVault(tx, { organizationId, vaultId, policyVersion: version })
  const isOurs = (await findPreparedPolicy(tx, stored)) !== undefined
  // The policy is in force on chain regardless; approvals by server wallets are rejected.
  const serverApprovers = await listServerWalletsAmong(tx, terms.approverAddresses)
  const isExpected = isOurs && serverApprovers.length === 0
  const code = serverApprovers.length > 0 ? 'policy_server_approver' : 'policy_drift'
  await recordChange(ctx, tx, {
    organizationId,
    actor: SYSTEM,
    action: 'policy.configured',
    aggregateType: 'policy',
    aggregateId: id,
    data: {
      vaultId,
      version,
      transactionHash,
      prepared: isOurs,
      ...(serverApprovers.length > 0 && { serverApprovers: serverApprovers.map(checksummed) }),
    },
    live: integrationChange({
      targetState: 'configured',
      severity: isExpected ? 'healthy' : 'action_required',
      code: isExpected ? 'policy_configured' : code,
    }),
  })
}

async function applyPause(ctx: HandlerContext, tx: Tx, { vault, log }: Applied): Promise<void> {
  const { event, blockNumber, transactionHash } = log
  if (event.name !== 'EmergencyPaused') return
  const { organizationId, id: vaultId } = vault
  const { version, by } = event
  await markPolicyPaused(tx, { organizationId, vaultId, version, blockNumber })
  await recordChange(ctx, tx, {
    organizationId,
    actor: SYSTEM,
    action: 'policy.paused',
    aggregateType: 'vault',
    aggregateId: vaultId,
    data: { version, by, transactionHash },
    live: integrationChange({
      targetState: 'paused',
      severity: 'action_required',
      code: 'policy_paused',
    }),
  })
}
