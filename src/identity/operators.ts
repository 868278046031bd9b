/** Operators are granted and revoked from the command line, and the first one by configuration. */
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

/** False when the subject is an active operator already. */
export async function grantOperator(ctx: OperatorContext, subject: string): Promise<boolean> {
  if (!/^[\x20-\x7e]{1,255}$/.test(subject)) {
    throw new StartupError('A subject is 1 to 255 printable ASCII characters.')
  }
  return ctx.ownerDb.transaction({}, (tx) => grant(ctx, tx, subject))
}

async function grant(ctx: OperatorContext, tx: Tx, subject: string): Promise<boolean> {
  const identity = { realm: 'admin' as const, issuer: ctx.config.identity.admin.issuer, subject }
  const at = ctx.clock.now()
  const made = await insertAccount(tx, { id: ctx.ids.next(), ...identity, at })
  const account = made ?? (await findAccount(tx, identity))
  if (!account) throw new Error('The account of an operator vanished')
  if (made) {
    await recordChange(ctx, tx, {
      organizationId: null,
      actor: SYSTEM,
      action: 'account.created',
      aggregateType: 'account',
      aggregateId: made.id,
      data: identity,
    })
  }
  const from = await lockOperator(tx, account.id)
  if (from === 'active') return false
  const to = from === undefined ? 'active' : next(operatorMachine, { from, event: 'grant' })
  await upsertOperator(tx, { accountId: account.id, to, at })
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
    await upsertOperator(tx, { accountId: account.id, to, at: ctx.clock.now() })
    await recordChange(ctx, tx, audit('operator.revoked', account.id, subject))
    return true
  })
}

/**
 * Once, on an installation that never had an operator: a revoked one is not granted again. Needs
 * the owner's login; a process with a lesser one leaves it to the others.
 */
export async function grantFirstOperator(ctx: OperatorContext & Pick<Context, 'log'>) {
  const { firstOperator } = ctx.config
  if (firstOperator === undefined || (await listOperators(ctx.db)).length > 0) return
  await grantOperator(ctx, firstOperator).catch((error) => {
    if (!isPermissionDenied(error)) throw error
    ctx.log.warn("FIRST_OPERATOR is granted by a process with the owner's login")
  })
}

/** Moves an account of either realm between active and disabled; false when it is there already. */
export async function setAccountStatus(
  ctx: OperatorContext,
  { accountId, event }: { accountId: string; event: 'disable' | 'enable' },
): Promise<boolean> {
  return ctx.ownerDb.transaction({}, async (tx) => {
    const account = await lockAccount(tx, accountId)
    if (!account) throw new StartupError(`There is no account ${accountId}.`)
    const to = accountMachine.moves[account.status][event]
    if (to === undefined) return false
    await updateAccountStatus(tx, { accountId, from: account.status, to })
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
