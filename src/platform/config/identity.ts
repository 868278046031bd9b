/** Configuration of the identity providers of both realms. Used by `config.ts`. */
import { type Environment, problem, url } from './values.ts'
import { type AssertionConfig, readAssertion } from './wallets.ts'

export type Realm = 'consumer' | 'admin'
export type RealmConfig = {
  issuer: string
  /** `aud` of access tokens: this API. */
  audience: string
  /** `aud` of ID tokens: the client ids of the realm's applications. */
  idAudiences: readonly string[]
  jwksUrl: string
  /** The issuer of second-factor assertions, if it is not the realm's own. */
  assertion?: AssertionConfig
}

const CLIENT_IDS_MAX = 20
/** Client ids as in RFC 6749, without the comma that separates them here. */
const CLIENT_ID = /^[\x20-\x2b\x2d-\x7e]{1,255}$/

function readIdAudiences(env: Environment, name: string, audience: string): string[] {
  const value = env[name]
  if (!value) return [audience]
  const ids = value.split(',').map((part) => part.trim())
  if (ids.length <= CLIENT_IDS_MAX && ids.every((id) => CLIENT_ID.test(id))) return ids
  throw problem(
    `${name} must be 1 to ${CLIENT_IDS_MAX} client ids of 1 to 255 printable ASCII characters, ` +
      'separated by commas.',
  )
}

function readRealm(
  env: Environment,
  prefix: 'CONSUMER' | 'ADMIN',
  production: boolean,
): RealmConfig {
  const protocols = production ? ['https:'] : ['https:', 'http:']
  const audience = env[`${prefix}_AUDIENCE`] ?? ''
  return {
    issuer: env[`${prefix}_ISSUER`] ?? '',
    audience,
    idAudiences: readIdAudiences(env, `${prefix}_ID_AUDIENCE`, audience),
    jwksUrl: url(env, `${prefix}_JWKS_URL`, protocols),
    ...readAssertion(env, prefix),
  }
}

const issuersOf = ({ issuer, assertion }: RealmConfig): string[] =>
  assertion ? [issuer, assertion.issuer] : [issuer]

const audiencesOf = ({ audience, idAudiences }: RealmConfig): string[] => [audience, ...idAudiences]

const hasCommon = (some: readonly string[], others: readonly string[]): boolean =>
  some.some((one) => others.includes(one))

export function readIdentity(env: Environment, production: boolean): Record<Realm, RealmConfig> {
  const consumer = readRealm(env, 'CONSUMER', production)
  const admin = readRealm(env, 'ADMIN', production)
  if (consumer.issuer === admin.issuer && consumer.audience === admin.audience) {
    throw problem(
      'The consumer and the administrator realm must differ in issuer or audience, ' +
        'or a token of one would be valid in the other.',
    )
  }
  // One issuer uses the same subject in both realms: only the audience distinguishes its tokens.
  const isShared = hasCommon(issuersOf(consumer), issuersOf(admin))
  if (isShared && hasCommon(audiencesOf(consumer), audiencesOf(admin))) {
    throw problem(
      'Realms that share an issuer must not share an audience or a client id. Give each realm ' +
        'its own client in CONSUMER_ID_AUDIENCE and ADMIN_ID_AUDIENCE.',
    )
  }
  return { consumer, admin }
}
