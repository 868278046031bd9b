/** From the provider's answer to a session: both at the API and here. */
import { AppError } from '#platform/errors.ts'
import { type Authenticated, ProviderRefusal } from './oidc.ts'
import { createSession, findByHash, hashOfCookie, replaceSession } from './sessions.ts'
import { openState, type SignInState } from './sign-in-state.ts'
import { keepAssertion } from './step-up.ts'
import { errorCodeOf, parseAnswer, readBytes, type Upstream } from './upstream.ts'
import type { WebContext } from './web-context.ts'

/** What the sign-in page explains to the person. */
export class SignInProblem extends Error {
  override readonly name = 'SignInProblem'
  readonly code: string

  constructor(code: string, options?: ErrorOptions) {
    super(`Sign-in failed: ${code}`, options)
    this.code = code
  }
}

/** What the browser brings back: the provider's answer, and the cookies of state and session. */
type Return = {
  returned: URLSearchParams
  cookie: string | undefined
  session: string | undefined
}

export type Returned = { returnTo: string; sessionId: string | undefined }

/** The API's own codes that a person can do something about. */
const EXPLAINED = new Set(['account_disabled', 'wallet_conflict', 'operator_required'])

export async function finishSignIn(
  ctx: WebContext,
  upstream: Upstream,
  { returned, cookie, session }: Return,
): Promise<Returned> {
  const kept = openState(ctx, { cookie, state: returned.get('state') })
  if (!kept) throw new SignInProblem('state_lost')
  const authenticated = await ctx.provider.complete(returned, kept).catch((error: unknown) => {
    throw problemOf(error)
  })
  if (kept.stepUp) {
    await finishStepUp(ctx, kept.stepUp, authenticated)
    return { returnTo: kept.returnTo, sessionId: undefined }
  }
  const accountId = await openApiSession(ctx, upstream, authenticated)
  const sessionId = await createSession(ctx, { ...authenticated, accountId })
  // The new cookie takes the place of the old one, which nobody could sign out any more.
  const old = [hashOfCookie(session), kept.replaces && Buffer.from(kept.replaces, 'hex')]
  for (const idHash of old) if (idHash) await replaceSession(ctx, idHash, authenticated)
  return { returnTo: kept.returnTo, sessionId }
}

function problemOf(error: unknown): unknown {
  if (error instanceof ProviderRefusal) {
    const code = error.code === 'access_denied' ? 'access_denied' : 'provider_refused'
    return new SignInProblem(code, { cause: error })
  }
  return error instanceof AppError ? new SignInProblem('unavailable', { cause: error }) : error
}

async function finishStepUp(
  ctx: WebContext,
  { idHash: hex, requestId }: NonNullable<SignInState['stepUp']>,
  { idToken, subject }: Authenticated,
): Promise<void> {
  const idHash = Buffer.from(hex, 'hex')
  const session = await findByHash(ctx, idHash)
  if (!session) throw new SignInProblem('state_lost')
  if (session.subject !== subject) throw new SignInProblem('other_person')
  await keepAssertion(ctx, { idHash, requestId, idToken })
}

async function openApiSession(
  ctx: WebContext,
  upstream: Upstream,
  { accessToken, idToken }: Authenticated,
): Promise<string> {
  const body = Buffer.from(JSON.stringify({ identityToken: idToken }))
  const answer = await upstream
    .send({
      method: 'PUT',
      path: `/v1/${ctx.config.realm}/session`,
      headers: {
        authorization: `Bearer ${accessToken}`,
        'content-type': 'application/json',
        'content-length': String(body.length),
      },
      body,
    })
    .catch((error: unknown) => {
      throw new SignInProblem('unavailable', { cause: error })
    })
  const opened = parseAnswer(await readBytes(answer))
  const accountId = (opened as { account?: { id?: unknown } } | undefined)?.account?.id
  if (answer.statusCode === 200 && typeof accountId === 'string') return accountId
  const code = errorCodeOf(opened) ?? ''
  ctx.log.warn({ status: answer.statusCode, code }, 'the API refused a session')
  if (answer.statusCode === 503 || answer.statusCode === 429) throw new SignInProblem('unavailable')
  throw new SignInProblem(EXPLAINED.has(code) ? code : 'session_refused')
}
