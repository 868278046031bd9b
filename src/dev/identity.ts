/** The development identity provider: one key per realm, kept in the data folder. */
import { exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose'
import type { Clock } from '#platform/clock.ts'
import type { Realm, RealmConfig } from '#platform/config/config.ts'
import { loadOrCreateSecret } from './data-folder.ts'

const ALGORITHM = 'ES256'

type DevWallet = {
  address: string
  kind: 'embedded' | 'external'
  chainType?: 'ethereum' | 'solana'
}

export type TokenRequest = {
  realm: Realm
  subject: string
  wallets?: DevWallet[]
  name?: string
  /** Verified, unless `emailVerified` is false. */
  email?: string
  emailVerified?: boolean
  /** Seconds from now; a negative value makes an expired token. */
  expiresIn?: number
  mfa?: { nonce: string; authTime?: number; methods?: string[] }
}

type Tokens = { accessToken: string; identityToken: string; mfaAssertion?: string }

export type DevIdentity = {
  issue(request: TokenRequest): Promise<Tokens>
  jwks(realm: Realm): { keys: JWK[] }
  /** The same key with its private part, for the sign-in page's provider. */
  signingKey(realm: Realm): JWK
}

async function makeKey(): Promise<string> {
  const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true })
  return JSON.stringify(await exportJWK(privateKey))
}

async function loadKey(folder: string, realm: Realm) {
  const made = await makeKey()
  const kept = await loadOrCreateSecret({
    folder,
    name: `identity-${realm}.json`,
    make: () => made,
  })
  const jwk: JWK = JSON.parse(kept)
  const { d: _private, ...point } = jwk
  const kid = `dev-${realm}-${point.x?.slice(0, 8)}`
  const published: JWK = { ...point, kid, alg: ALGORITHM, use: 'sig' }
  const signing: JWK = { ...jwk, kid, alg: ALGORITHM, use: 'sig' }
  return { kid, published, signing, key: await importJWK(jwk, ALGORITHM) }
}

export async function createDevIdentity({
  folder,
  realms,
  clock,
}: {
  folder: string
  realms: Record<Realm, RealmConfig>
  clock: Clock
}): Promise<DevIdentity> {
  const keys = {
    consumer: await loadKey(folder, 'consumer'),
    admin: await loadKey(folder, 'admin'),
  }

  const sign = (request: TokenRequest, type: string, claims: Record<string, unknown>) => {
    const { realm, subject, expiresIn = 3600 } = request
    const now = Math.floor(clock.now().getTime() / 1000)
    return new SignJWT(claims)
      .setProtectedHeader({ alg: ALGORITHM, kid: keys[realm].kid, typ: type })
      .setIssuer(realms[realm].issuer)
      .setAudience(realms[realm].audience)
      .setSubject(subject)
      .setIssuedAt(Math.min(now, now + expiresIn))
      .setExpirationTime(now + expiresIn)
      .sign(keys[realm].key)
  }

  return {
    async issue(request) {
      const { wallets = [], name, email, emailVerified = true, mfa } = request
      const profile = {
        ...(name !== undefined && { name }),
        ...(email !== undefined && { email, email_verified: emailVerified }),
      }
      const now = Math.floor(clock.now().getTime() / 1000)
      return {
        accessToken: await sign(request, 'at+jwt', {}),
        identityToken: await sign(request, 'JWT', { wallets, ...profile }),
        ...(mfa && {
          mfaAssertion: await sign(request, 'JWT', {
            nonce: mfa.nonce,
            auth_time: mfa.authTime ?? now,
            amr: mfa.methods ?? ['mfa', 'pwd', 'otp'],
          }),
        }),
      }
    },
    jwks: (realm) => ({ keys: [keys[realm].published] }),
    signingKey: (realm) => keys[realm].signing,
  }
}
