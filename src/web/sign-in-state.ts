/**
 * What a browser keeps while a person is at the identity provider: a sealed cookie, which only this
 * gateway can open. Without it nobody can finish somebody else's sign-in, or start one for them.
 */
import { addSeconds } from '#platform/clock.ts'
import { openJson, sealJson } from '#platform/sealing.ts'
import { type Checks, randomText } from './oidc.ts'
import type { WebContext } from './web-context.ts'

export const SIGN_IN_SECONDS = 15 * 60

/**
 * A Strict cookie does not come along on the return, so the state names the running session:
 * `stepUp` the one that a fresh sign-in is for, `replaces` the one that ends with a new one.
 */
export type SignInState = Checks & {
  returnTo: string
  expiresAt: number
  /** SHA-256 in hex, as in `stepUp`. */
  replaces?: string | undefined
  stepUp?: { idHash: string; requestId: string } | undefined
}

const nameOf = (ctx: WebContext): string => `web-sign-in:${ctx.config.realm}`

export function makeState(
  ctx: WebContext,
  { returnTo, stepUp, replaces }: Pick<SignInState, 'returnTo' | 'stepUp' | 'replaces'>,
): SignInState {
  return {
    state: randomText(),
    // The API compares the nonce of a second factor with the id of the export.
    nonce: stepUp?.requestId ?? randomText(),
    verifier: randomText(),
    isFresh: stepUp !== undefined,
    returnTo,
    stepUp,
    replaces,
    expiresAt: addSeconds(ctx.clock.now(), SIGN_IN_SECONDS).getTime(),
  }
}

export const sealState = (ctx: WebContext, value: SignInState): string =>
  sealJson(ctx.keys.stateKey, { name: nameOf(ctx), value }).toString('base64url')

/** Undefined if it is missing, expired, not ours, or for another sign-in. */
export function openState(
  ctx: WebContext,
  { cookie, state }: { cookie: string | undefined; state: string | null },
): SignInState | undefined {
  if (!cookie || !state) return undefined
  try {
    const box = Buffer.from(cookie, 'base64url')
    const kept = openJson(ctx.keys.stateKey, { name: nameOf(ctx), box }) as SignInState
    const isOurs = kept.state === state && kept.expiresAt > ctx.clock.now().getTime()
    return isOurs ? kept : undefined
  } catch {
    return undefined
  }
}

const PATH_MAX = 2_000

/**
 * A path of this application; anything else becomes `/`. Browsers read `//host`, `/\host` and a tab
 * or line break before them as another origin.
 */
export function safePath(value: unknown): string {
  if (typeof value !== 'string' || value.length > PATH_MAX) return '/'
  if (!/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(value)) return '/'
  const url = URL.parse(value, 'https://application.invalid')
  const isOurs = url?.origin === 'https://application.invalid' && !/^\/\//.test(url.pathname)
  return isOurs && !/^\/(?:session|v1|dev)(?:\/|$)/.test(url.pathname) ? value : '/'
}
