/**
 * The guard in front of every route, driven by `access/permissions.ts`. It authenticates the caller
 * (401) and checks membership and role (403) before the body is read.
 */
import { isUuid } from '@countersign/proof/values.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Context } from '#context.ts'
import type { RateLimits } from '#http/rate-limits.ts'
import { findAccount, type OperatorAccount } from '#identity/accounts.store.ts'
import type { Realm } from '#platform/config/config.ts'
import { AppError, type FailedCheck, StartupError } from '#platform/errors.ts'
import type { AccessVerdict } from '#ports/identity-provider.ts'
import { type CallerAccess, findCallerAccess } from './callers.store.ts'
import {
  createKnownMembers,
  earlyRowsOf,
  isSameMember,
  type KnownMember,
  type KnownMembers,
} from './early-reads.ts'
import { type Access, type Member, permissions, type WalletRole } from './permissions.ts'

/** The holder of a verified access token. */
export type Caller = {
  realm: Realm
  issuer: string
  subject: string
  /** A stream must not outlive the token. */
  expiresAtSeconds: number
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | undefined
    account: OperatorAccount | undefined
    member: Member | undefined
  }
  interface FastifyContextConfig {
    access?: Access
  }
}

type Setting = { ctx: Pick<Context, 'db' | 'identity'>; limits: RateLimits }
type Guard = Setting & { known: KnownMembers }

const noBearer = (header: string | undefined): FailedCheck => ({
  credential: 'authorization_header',
  claim: 'scheme',
  expected: 'Bearer and a token',
  found: header === undefined ? 'no header' : `${header.length} characters of another form`,
})

const otherRealm = (realm: Realm): FailedCheck => ({
  credential: 'access_token',
  claim: 'realm',
  expected: realm,
  found: realm === 'consumer' ? 'admin' : 'consumer',
})

const bearer = (header: string | undefined): string | undefined =>
  /^Bearer ([A-Za-z0-9._~+/=-]{1,20000})$/i.exec(header ?? '')?.[1]

async function authenticate(
  { ctx, limits }: Guard,
  request: FastifyRequest,
  realm: Realm,
): Promise<Caller> {
  const { authorization } = request.headers
  const token = bearer(authorization)
  const verdict: AccessVerdict =
    token === undefined
      ? { outcome: 'invalid', failed: noBearer(authorization) }
      : await ctx.identity.verifyAccessToken({ realm, token })
  if (verdict.outcome !== 'valid') {
    await limits.countAnonymous(request)
    throw verdict.outcome === 'other_realm'
      ? new AppError('realm_mismatch', { failed: otherRealm(realm) })
      : new AppError('unauthenticated', { failed: verdict.failed })
  }
  const { issuer, subject, expiresAtSeconds } = verdict.claims
  request.caller = { realm, issuer, subject, expiresAtSeconds }
  await limits.countAccount(request)
  return request.caller
}

async function admitConsumer(
  guard: Guard,
  request: FastifyRequest,
  { caller, access }: { caller: Caller; access: Extract<Access, { realm: 'consumer' }> },
): Promise<void> {
  if ('needs' in access && access.needs === 'token') return
  if ('roles' in access) return admitMember(guard, request, { caller, access })
  const allowsDisabled = 'needs' in access && access.needs === 'account'
  admitAccount(request, await findAccount(guard.ctx.db, caller), allowsDisabled)
}

function admitAccount(
  request: FastifyRequest,
  account: OperatorAccount | undefined,
  allowsDisabled = false,
): OperatorAccount {
  if (!account) throw new AppError('session_required')
  request.account = account
  if (account.status === 'disabled' && !allowsDisabled) throw new AppError('account_disabled')
  return account
}

/** Reads account, membership and wallet role in one query. A missing account is reported first. */
async function admitMember(
  { ctx, known }: Guard,
  request: FastifyRequest,
  { caller, access }: { caller: Caller; access: Extract<Access, { roles: unknown }> },
): Promise<void> {
  const { roles, walletRole } = access
  const { organizationId } = request.params as { organizationId: string }
  if (!isUuid(organizationId)) {
    admitAccount(request, await findAccount(ctx.db, caller))
    throw new AppError('validation_failed', {
      message: '`organizationId` in the path must be a UUID.',
    })
  }
  // A UUID may be upper-case in the path; hashes need the stored lower-case form.
  const id = organizationId.toLowerCase()
  const key = `${id} ${caller.issuer} ${caller.subject}`
  const before = known.find(key)
  const { place, early } = await readPlace(ctx, request, {
    organizationId: id,
    before,
    caller,
    walletRole,
  })
  const { id: accountId } = admitAccount(request, place?.account)
  const membership = place?.membership
  if (!membership) throw new AppError('forbidden')
  const { membershipId, role, holdsWalletRole } = membership
  if (!roles.includes(role)) throw new AppError('role_required')
  if (walletRole && !holdsWalletRole) throw new AppError('approver_wallet_required')
  request.member = { organizationId: id, membershipId, accountId, role, requestId: request.id }
  if (before && isSameMember(before, request.member)) request.earlyRows = early
  else known.keep(key, { accountId, membershipId, role })
}

/** For a member who was seen before, the route's own read travels with the check. */
function readPlace(
  { db }: Guard['ctx'],
  request: FastifyRequest,
  {
    organizationId,
    before,
    ...about
  }: {
    organizationId: string
    before: KnownMember | undefined
    caller: Caller
    walletRole: WalletRole | undefined
  },
): Promise<{ place: CallerAccess | undefined; early?: { rows: unknown } }> {
  const check = { organizationId, ...about }
  const rowsOf =
    before && earlyRowsOf(request, { ...before, organizationId, requestId: request.id })
  if (!before || !rowsOf) {
    return db.read({ organizationId }, async (reader) => ({
      place: await findCallerAccess(reader, check),
    }))
  }
  const scope = { organizationId, accountId: before.accountId }
  return db.read(scope, async (reader) => {
    const [place, rows] = await Promise.all([findCallerAccess(reader, check), rowsOf(reader)])
    return { place, early: { rows } }
  })
}

async function admitOperator({ ctx }: Guard, request: FastifyRequest, caller: Caller) {
  const account = await findAccount(ctx.db, caller)
  if (account?.operator !== 'active') throw new AppError('operator_required')
  if (account.status === 'disabled') throw new AppError('account_disabled')
  request.account = account
}

/**
 * Register it before any route: a route without a permission entry stops the service from starting.
 */
export function registerAccess(app: FastifyInstance, setting: Setting): void {
  const guard: Guard = { ...setting, known: createKnownMembers() }
  app.decorateRequest('earlyRows', undefined)
  app.decorateRequest('caller', undefined)
  app.decorateRequest('account', undefined)
  app.decorateRequest('member', undefined)

  app.addHook('onRoute', (route) => {
    for (const method of [route.method].flat()) {
      // Fastify answers HEAD wherever it answers GET.
      const access = permissions[`${method === 'HEAD' ? 'GET' : method} ${route.url}`]
      if (!access) {
        throw new StartupError(`${method} ${route.url} has no entry in access/permissions.ts.`)
      }
      route.config = { ...route.config, access }
    }
  })

  app.addHook('onRequest', async (request) => {
    const { access } = request.routeOptions.config
    if (access === undefined) return guard.limits.countAnonymous(request) // no route: 404
    if (access.realm === 'public') {
      if (access.isLimited) await guard.limits.countAnonymous(request)
      return
    }
    const caller = await authenticate(guard, request, access.realm)
    if (access.realm === 'admin') return admitOperator(guard, request, caller)
    await admitConsumer(guard, request, { caller, access })
  })
}

const present = <T>(value: T | undefined): T => {
  if (value === undefined) throw new Error('The access guard did not run for this route')
  return value
}

export const callerOf = (request: FastifyRequest): Caller => present(request.caller)
export const accountOf = (request: FastifyRequest): OperatorAccount => present(request.account)
export const memberOf = (request: FastifyRequest): Member => present(request.member)

/** The operator as an actor of the audit trail. */
export const operatorOf = (request: FastifyRequest) => ({
  realm: 'admin' as const,
  accountId: accountOf(request).id,
  requestId: request.id,
})
