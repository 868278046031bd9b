/** Applies vault logs to the treasury: balances, spent totals, policies, recipients, payments. */
import type { LogHandlers, TimedLog } from '#chain/log-handlers.ts'
import type { Context } from '#context.ts'
import { enqueueWatch } from '#executor/watch-executor.ts'
import { rescope, type Tx } from '#platform/database/database.ts'
import type { Applied } from './applied-log.ts'
import { applyPause, applyPolicy, applyRevocation, applyUnpause } from './apply-policy.ts'
import { applyProposal, applyVeto, rollBackProposals } from './apply-proposal.ts'
import { applyRecipientBlock, applyRecipients } from './apply-recipients.ts'
import { enqueueFollowing } from './move-proposal.ts'
import { deletePoliciesAbove } from './policies.store.ts'
import { findWaitingProposal } from './proposals.store.ts'
import { deleteRecipientLogsAbove } from './vault-recipients.store.ts'
import {
  addToVault,
  deleteVaultPaymentsAbove,
  findVaultByAddress,
  insertVaultPayment,
  recountVault,
  type VaultRow,
} from './vaults.store.ts'

type HandlerContext = Pick<Context, 'clock' | 'ids' | 'chain' | 'reactions'>

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
    async open(tx, { vaultAddress }) {
      const vault = await enterVault(tx, vaultAddress)
      if (!vault) return
      const { organizationId, id: vaultId } = vault
      recountVault(tx, { organizationId, vaultId })
      // The jobs that its logs started may have run before its policy counted.
      enqueueWatch(tx, { organizationId }, 0)
      const proposal = await findWaitingProposal(tx, { organizationId, vaultId })
      if (proposal) enqueueFollowing(tx, { organizationId, id: proposal.id })
      await ctx.reactions.vaultRolledBack(tx, { organizationId, vaultId })
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
        deletePoliciesAbove(tx, above)
        await rollBackProposals(ctx, tx, above)
        await deleteRecipientLogsAbove(tx, above)
        deleteVaultPaymentsAbove(tx, above)
        recountVault(tx, { organizationId, vaultId })
        enqueueWatch(tx, { organizationId }, 0)
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
      const { chainPaymentId, recipientAddress, mode, amount } = event
      const payment = { chainPaymentId, recipientAddress, mode, amount }
      insertVaultPayment(tx, { ...key, ...payment, transactionHash, blockNumber, timeSeconds })
      return addToVault(tx, { ...key, spent: amount })
    }
    case 'PolicyConfigured':
      return applyPolicy(ctx, tx, { ...applied, event })
    case 'PolicyProposed':
      return applyProposal(ctx, tx, { ...applied, event })
    case 'PolicyVetoed':
      return applyVeto(ctx, tx, { ...applied, event })
    case 'ApproverRevoked':
      return applyRevocation(ctx, tx, { ...applied, event })
    case 'EmergencyPaused':
      return applyPause(ctx, tx, { ...applied, event })
    case 'Unpaused':
      return applyUnpause(ctx, tx, { ...applied, event })
    case 'RecipientsChanged':
      return applyRecipients(ctx, tx, { ...applied, event })
    case 'RecipientBlocked':
    case 'RecipientUnblocked':
      return applyRecipientBlock(ctx, tx, { ...applied, event })
    default:
      return undefined
  }
}
