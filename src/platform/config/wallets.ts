/** Configuration of wallets, keystore and assertions for exports. Used by `config.ts`. */
import { createPrivateKey, createPublicKey } from 'node:crypto'
import { isTimestamp } from '@countersign/proof/values.ts'
import { toTimestamp } from '#platform/clock.ts'
import { type WalletProviderType, walletProviderTypes } from './providers.ts'
import { readSecret } from './secrets.ts'
import { choice, type Environment, isProduction, problem, safeUrl, visible } from './values.ts'

/** Privy's public settings, which API processes have too. */
export type PrivyTerms = {
  /** Without a trailing slash, because signed URLs begin with it. */
  url: string
  appId: string
  /** The key quorum that owns the wallets. */
  ownerId: string
  /** Undefined without funding signers at Privy. */
  funding: PrivyFundingTerms | undefined
}

export type PrivyConfig = PrivyTerms & {
  appSecret: string
  /** Signs for the key quorum that owns the wallets. P-256, base64 of PKCS#8. */
  authorizationKey: string
  funding: PrivyFundingConfig | undefined
}

export type PrivyFundingTerms = {
  /** The key quorum of the funding signer; never the owner. */
  signerId: string
  /** Set if a single vault is funded; otherwise each vault's owner names the policy. */
  policyId: string | null
  /** The expiry of every policy. */
  expiresAt: string
}

/** `signerKey` has the format of `authorizationKey` and must differ from it. */
export type PrivyFundingConfig = PrivyFundingTerms & { signerKey: string }

export type WalletsConfig =
  | { provider: 'none' }
  | { provider: 'local' }
  | ({ provider: 'privy' } & PrivyConfig)
  /** In API processes: the provider's name and settings, without credentials. */
  | { provider: 'keyless'; of: 'local' }
  | ({ provider: 'keyless'; of: 'privy' } & PrivyTerms)

/** The configured provider, also in processes without its credentials. */
export const walletProviderName = (wallets: WalletsConfig): WalletProviderType | 'none' =>
  wallets.provider === 'keyless' ? wallets.of : wallets.provider

/** Without a secret, the keystore's key is derived from SERVER_SECRET. */
export type KeystoreConfig = { secret: string | undefined; previousSecret: string | undefined }

export type AssertionConfig = { issuer: string; jwksUrl: string }

const PROVIDERS = ['none', ...walletProviderTypes] as const
const PRIVY_NAMES = [
  'PRIVY_APP_ID',
  'PRIVY_APP_SECRET',
  'PRIVY_AUTHORIZATION_KEY',
  'PRIVY_OWNER_ID',
] as const
const PRIVY_TERMS = ['PRIVY_APP_ID', 'PRIVY_OWNER_ID'] as const
const PRIVY_URL = 'https://api.privy.io'

/** Production never defaults to `local`: keeping users' keys here must be a deliberate choice. */
export function readWalletsConfig(
  env: Environment,
  production: boolean,
  isKeyless = false,
): WalletsConfig {
  if (isKeyless) return readKeyless(env, production)
  const privy = readPrivy(env, production)
  const provider = readProvider(env, { production, hasPrivy: privy !== undefined })
  if (provider !== 'privy') return { provider }
  if (!privy) throw problem(`WALLET_PROVIDER privy needs ${PRIVY_NAMES.join(', ')}.`)
  return { provider, ...privy }
}

function readKeyless(env: Environment, production: boolean): WalletsConfig {
  const privy = readPrivyTerms(env, production)
  const of = readProvider(env, { production, hasPrivy: privy !== undefined })
  if (of === 'none') return { provider: of }
  if (of === 'local') return { provider: 'keyless', of }
  if (!privy) throw problem(`WALLET_PROVIDER privy needs ${PRIVY_TERMS.join(', ')}.`)
  return { provider: 'keyless', of, ...privy }
}

function readProvider(
  env: Environment,
  { production, hasPrivy }: { production: boolean; hasPrivy: boolean },
): (typeof PROVIDERS)[number] {
  const fallback = hasPrivy ? 'privy' : production ? 'none' : 'local'
  return choice(env, 'WALLET_PROVIDER', { options: PROVIDERS, fallback })
}

/** For processes without keys: names and settings, without credentials. */
function readPrivyTerms(env: Environment, production: boolean): PrivyTerms | undefined {
  const [appId, ownerId] = PRIVY_TERMS.map((name) => visible(env, name, 1_000))
  if (!appId && !ownerId) return undefined
  if (!appId || !ownerId) throw problem(`Set all of ${PRIVY_TERMS.join(', ')}, or none of them.`)
  requireAppId(appId)
  const url = safeUrl('PRIVY_URL', env.PRIVY_URL || PRIVY_URL, production)
  const [signerId, end] = FUNDING_TERMS.map((name) => visible(env, name, 1_000))
  const policyId = visible(env, 'PRIVY_FUNDING_POLICY_ID', 200) ?? null
  if (!signerId && !end && !policyId) return { url, appId, ownerId, funding: undefined }
  if (!signerId || !end) throw problem(`Set all of ${FUNDING_TERMS.join(', ')}, or none of them.`)
  return { url, appId, ownerId, funding: { signerId, policyId, expiresAt: endIn(end) } }
}

function requireAppId(appId: string): void {
  if (appId.includes(':')) throw problem('PRIVY_APP_ID must not contain a colon.')
}

function endIn(end: string): string {
  if (isTimestamp(end) && /:[0-9]{2}(?:\.0+)?Z$/.test(end)) return toTimestamp(end)
  throw problem('PRIVY_FUNDING_EXPIRES_AT must be a time such as 2027-01-31T00:00:00Z.')
}

function readPrivy(env: Environment, production: boolean): PrivyConfig | undefined {
  const [appId, appSecret, key, ownerId] = PRIVY_NAMES.map((name) => visible(env, name, 1_000))
  const url = env.PRIVY_URL || PRIVY_URL
  const signer = fundingIn(env)
  if (!appId && !appSecret && !key && !ownerId && !signer) return undefined
  if (!appId || !appSecret || !key || !ownerId) {
    throw problem(`Set all of ${PRIVY_NAMES.join(', ')}, or none of them.`)
  }
  requireAppId(appId)
  const authorizationKey = keyIn('PRIVY_AUTHORIZATION_KEY', key)
  const funding = signer && readPrivyFunding(signer, { ownerId, authorizationKey })
  const safe = safeUrl('PRIVY_URL', url, production)
  return { url: safe, appId, appSecret, authorizationKey, ownerId, funding }
}

const FUNDING_NAMES = [
  'PRIVY_FUNDING_SIGNER_ID',
  'PRIVY_FUNDING_SIGNER_KEY',
  'PRIVY_FUNDING_EXPIRES_AT',
] as const

const FUNDING_TERMS = ['PRIVY_FUNDING_SIGNER_ID', 'PRIVY_FUNDING_EXPIRES_AT'] as const

type Signer = { signerId: string; key: string; end: string; policyId: string | null }

function fundingIn(env: Environment): Signer | undefined {
  const [signerId, key, end] = FUNDING_NAMES.map((name) => visible(env, name, 1_000))
  const policyId = visible(env, 'PRIVY_FUNDING_POLICY_ID', 200) ?? null
  if (!signerId && !key && !end && !policyId) return undefined
  if (signerId && key && end) return { signerId, key, end, policyId }
  throw problem(`Set all of ${FUNDING_NAMES.join(', ')}, or none of them.`)
}

/** A signer that is the owner could remove its own limits. */
function readPrivyFunding(
  { signerId, key, end, policyId }: Signer,
  owner: Pick<PrivyConfig, 'ownerId' | 'authorizationKey'>,
): PrivyFundingConfig {
  const signerKey = keyIn('PRIVY_FUNDING_SIGNER_KEY', key)
  if (
    signerId === owner.ownerId ||
    publicKeyOf(signerKey) === publicKeyOf(owner.authorizationKey)
  ) {
    throw problem(
      'The funding signer at Privy must have another key quorum and key than the owner.',
    )
  }
  return { signerId, signerKey, policyId, expiresAt: endIn(end) }
}

function keyIn(name: string, value: string): string {
  const key = value.replace(/^wallet-auth:/, '')
  if (isP256(key)) return key
  throw problem(`${name} must be a P-256 key, as base64 of its PKCS#8 form.`)
}

/** The public key as base64 of SPKI, as in Privy's API. */
export const publicKeyOf = (key: string): string => {
  const held = createPrivateKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'pkcs8' })
  return createPublicKey(held).export({ format: 'der', type: 'spki' }).toString('base64')
}

function isP256(base64: string): boolean {
  try {
    const der = Buffer.from(base64, 'base64')
    const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1'
  } catch {
    return false
  }
}

export function readKeystore(env: Environment): KeystoreConfig {
  const read = (name: 'KEYSTORE_SECRET' | 'KEYSTORE_SECRET_PREVIOUS') => {
    // A weak secret is allowed as the previous one, so that it can be replaced.
    const isStrict = name === 'KEYSTORE_SECRET' && isProduction(env)
    return env[name] ? readSecret(env, name, isStrict) : undefined
  }
  const keystore = {
    secret: read('KEYSTORE_SECRET'),
    previousSecret: read('KEYSTORE_SECRET_PREVIOUS'),
  }
  if (keystore.previousSecret && keystore.previousSecret === keystore.secret) {
    throw problem('KEYSTORE_SECRET_PREVIOUS must differ from KEYSTORE_SECRET.')
  }
  return keystore
}

export function readAssertion(
  env: Environment,
  prefix: 'CONSUMER' | 'ADMIN',
): { assertion?: AssertionConfig } {
  const names = [`${prefix}_ASSERTION_ISSUER`, `${prefix}_ASSERTION_JWKS_URL`] as const
  const [issuer, jwksUrl] = names.map((name) => env[name])
  if (!issuer && !jwksUrl) return {}
  if (!issuer || !jwksUrl) throw problem(`Set ${names.join(' and ')}, or neither.`)
  const production = env.NODE_ENV === 'production'
  return { assertion: { issuer, jwksUrl: safeUrl(names[1], jwksUrl, production) } }
}
