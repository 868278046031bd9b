/**
 * Grants and revokes operators from the command line, and grants the first one from configuration.
 */
import type { Context } from '#context.ts'
import { SYSTEM } from '#journal/actor.ts'
import { type AuditAction, recordChange } from '#journal/journal.ts'
import { isPermissionDenied, type Tx } from '#platform/database/database.ts'
import { StartupError } from '#platform/errors.ts'
import { next } from '#platform/machine.ts'
import {
  findAccount,
  insertAccount,
  listOperators,
  lockAccount,
  lockOperator,
  updateAccountStatus,
  upsertOperator,
} from './accounts.store.ts'
import { accountMachine, operatorMachine } from './identity.machine.ts'

type OperatorContext = Pick<Context, 'db' | 'ownerDb' | 'clock' | 'ids' | 'config'>

const audit = (action: AuditAction, accountId: string, subject: string) => ({
  organizationId: null,
  actor: SYSTEM,
  action,
  aggregateType: 'operator' as const,
  aggregateId: accountId,
  data: { subject },
})

/** False when the subject already is an active operator. */
export async function grantOperator(ctx: OperatorContext, subject: string): Promise<boolean> {
  if (!/^[\x20-\x7e]{1,255}$/.test(subject)) {
    throw new StartupError('A subject must be 1 to 255 printable ASCII characters.')
  }
  return ctx.ownerDb.transaction({}, (tx) => grant(ctx, tx, subject))
}

async function grant(ctx: OperatorContext, tx: Tx, subject: string): Promise<boolean> {
  const identity = { realm: 'admin' as const, issuer: ctx.config.identity.admin.issuer, subject }
  const at = ctx.clock.now()
  const created = await insertAccount(tx, { id: ctx.ids.next(), ...identity, at })
  const account = created ?? (await findAccount(tx, identity))
  if (!account) throw new Error('The operator account disappeared during the transaction')
  if (created) {
    await recordChange(ctx, tx, {
      organizationId: null,
      actor: SYSTEM,
      action: 'account.created',
      aggregateType: 'account',
      aggregateId: created.id,
      data: identity,
    })
  }
  const from = await lockOperator(tx, account.id)
  if (from === 'active') return false
  const to = from === undefined ? 'active' : next(operatorMachine, { from, event: 'grant' })
  upsertOperator(tx, { accountId: account.id, to, at })
  await recordChange(ctx, tx, audit('operator.granted', account.id, subject))
  return true
}

/** False when the subject is not an active operator. */
export async function revokeOperator(ctx: OperatorContext, subject: string): Promise<boolean> {
  const { issuer } = ctx.config.identity.admin
  return ctx.ownerDb.transaction({}, async (tx) => {
    const account = await findAccount(tx, { realm: 'admin', issuer, subject })
    const from = account && (await lockOperator(tx, account.id))
    if (account === undefined || from !== 'active') return false
    const to = next(operatorMachine, { from, event: 'revoke' })
    upsertOperator(tx, { accountId: account.id, to, at: ctx.clock.now() })
    await recordChange(ctx, tx, audit('operator.revoked', account.id, subject))
    return true
  })
}

/**
 * Grants the configured first operator, once, on an installation that never had one; a revoked
 * operator is not granted again. This needs the database owner's login, so a process with another
 * login only logs a warning.
 */
export async function grantFirstOperator(ctx: OperatorContext & Pick<Context, 'log'>) {
  const { firstOperator } = ctx.config
  if (firstOperator === undefined || (await listOperators(ctx.db)).length > 0) return
  await grantOperator(ctx, firstOperator).catch((error) => {
    if (!isPermissionDenied(error)) throw error
    ctx.log.warn("Only a process with the database owner's login can grant FIRST_OPERATOR")
  })
}

/** Enables or disables an account of either realm; false when it already is in that state. */
export async function setAccountStatus(
  ctx: OperatorContext,
  { accountId, event }: { accountId: string; event: 'disable' | 'enable' },
): Promise<boolean> {
  return ctx.ownerDb.transaction({}, async (tx) => {
    const account = await lockAccount(tx, accountId)
    if (!account) throw new StartupError(`Account ${accountId} does not exist.`)
    const to = accountMachine.moves[account.status][event]
    if (to === undefined) return false
    updateAccountStatus(tx, { accountId, from: account.status, to })
    await recordChange(ctx, tx, {
      organizationId: null,
      actor: SYSTEM,
      action: to === 'disabled' ? 'account.disabled' : 'account.enabled',
      aggregateType: 'account',
      aggregateId: accountId,
      data: { subject: account.subject },
    })
    return true
  })
}
