/** The only writer of a server wallet's state, and the record of each change. */
import type { Context } from '#context.ts'
import type { Actor } from '#journal/actor.ts'
import { type AuditAction, integrationChange, recordChange } from '#journal/journal.ts'
import type { Realm } from '#platform/config/config.ts'
import type { Tx } from '#platform/database/database.ts'
import { next } from '#platform/machine.ts'
import type { Severity } from '#platform/severity.ts'
import {
  type ProvisionedWallet,
  type ServerWallet,
  updateWalletState,
} from './server-wallets.store.ts'
import { type WalletEvent, walletMachine } from './wallet.machine.ts'

/** The calling account, in either realm: wallets belong to accounts. */
export type Holder = { realm: Realm; accountId: string; requestId: string }

export const scopeOf = ({
  accountId,
  organizationId,
}: {
  accountId: string
  organizationId: string | null
}) => ({ accountId, ...(organizationId === null ? {} : { organizationId }) })

const outcomes = {
  succeed: { action: 'wallet.created', severity: 'healthy' },
  fail: { action: 'wallet.failed', severity: 'degraded' },
  disable: { action: 'wallet.disabled', severity: 'degraded' },
} as const

export async function moveWallet(
  ctx: Pick<Context, 'clock' | 'ids'>,
  tx: Tx,
  {
    wallet,
    event,
    actor,
    made,
    data = {},
  }: {
    wallet: Pick<ServerWallet, 'id' | 'accountId' | 'organizationId' | 'state'>
    event: Exclude<WalletEvent, 'unlink'>
    actor: Actor
    made?: ProvisionedWallet
    data?: Record<string, unknown>
  },
): Promise<void> {
  const { id: walletId, accountId, organizationId, state: from } = wallet
  const to = next(walletMachine, { from, event })
  updateWalletState(tx, { walletId, accountId, from, to, ...(made && { made }) })
  const { action, severity } = outcomes[event]
  await recordWallet(ctx, tx, {
    organizationId,
    walletId,
    actor,
    action,
    data,
    severity,
    state: to,
  })
}

export const recordWallet = (
  ctx: Pick<Context, 'clock' | 'ids'>,
  tx: Tx,
  change: {
    organizationId: string | null
    walletId: string
    actor: Actor
    action: AuditAction
    data: Record<string, unknown>
    severity: Severity
    state: string
  },
): Promise<void> =>
  recordChange(ctx, tx, {
    organizationId: change.organizationId,
    actor: change.actor,
    action: change.action,
    aggregateType: 'wallet',
    aggregateId: change.walletId,
    data: change.data,
    live: integrationChange({
      targetState: change.state,
      severity: change.severity,
      code: change.action.replace('.', '_'),
    }),
  })
