/** An application at an OpenID provider: the authorization code flow with PKCE, by HTTP alone. */
import { createHash, randomBytes } from 'node:crypto'
import { type RequestOptions, request } from 'node:https'
import { text } from 'node:stream/consumers'
import { expect } from 'vitest'
import { CERTIFICATE, type OpenIdProvider, REDIRECT_URI } from './openid-provider.ts'

export type SignIn = {
  clientId: string
  /** The API that the access token is for. */
  api: string
  subject: string
  /** How the person signs in, as in `amr`. */
  methods?: readonly string[]
  nonce?: string
}

export type SignedIn = { accessToken: string; idToken: string }

type Answer = { status: number; location: string; body: string; cookies: string[] }

async function send(url: string, options: RequestOptions, body?: string): Promise<Answer> {
  const asked = request(url, { ca: CERTIFICATE, ...options })
  const answered = new Promise<Answer>((resolve, reject) => {
    asked.once('error', reject).once('response', async (response) => {
      const { statusCode: status = 0, headers } = response
      const { location = '', 'set-cookie': cookies = [] } = headers
      resolve({ status, location, cookies, body: await text(response) })
    })
  })
  asked.end(body)
  return answered
}

/** Follows redirects as a browser does, up to the application's own address. */
async function codeFor(url: string): Promise<string> {
  const jar = new Map<string, string>()
  let next = url
  while (!next.startsWith(REDIRECT_URI)) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const { status, location, body, cookies } = await send(next, { headers: { cookie } })
    expect(status, `${next}: ${body}`).toBe(303)
    for (const set of cookies) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      if (value === '') jar.delete(name)
      else jar.set(name, value)
    }
    next = new URL(location, next).href
  }
  const code = new URL(next).searchParams.get('code')
  expect(code, next).not.toBeNull()
  return code ?? ''
}

/** Signs in again, whoever was signed in before. */
export async function signInAt(
  { issuer }: Pick<OpenIdProvider, 'issuer'>,
  { clientId, api, subject, methods = ['pwd'], nonce }: SignIn,
): Promise<SignedIn> {
  const verifier = randomBytes(32).toString('base64url')
  const asked = new URLSearchParams({
    client_id: clientId,
    response_type: 'code',
    redirect_uri: REDIRECT_URI,
    scope: 'openid wallets api',
    resource: api,
    claims: JSON.stringify({ id_token: { amr: null, wallets: null } }),
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    prompt: 'login',
    max_age: '300',
    login_hint: [subject, ...methods].join(' '),
    ...(nonce === undefined ? {} : { nonce }),
  })
  const code = await codeFor(`${issuer}/auth?${asked}`)
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: clientId,
    redirect_uri: REDIRECT_URI,
    code,
    code_verifier: verifier,
    resource: api,
  })
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const { status, body } = await send(`${issuer}/token`, { method: 'POST', headers }, `${form}`)
  expect(status, body).toBe(200)
  const { access_token: accessToken, id_token: idToken } = JSON.parse(body)
  return { accessToken, idToken }
}
