/** Configuration of e-mail. Used by `config.ts`. */
import { type Environment, isLoopback, problem, safeUrl } from './values.ts'

export type SmtpConfig = {
  host: string
  port: number
  /** Implicit TLS (`smtps:`). */
  isSecure: boolean
  /** Without implicit TLS: send nothing unless STARTTLS succeeds. */
  requiresStartTls: boolean
  user: string | undefined
  password: string | undefined
}

export type EmailConfig = {
  /** The address, and the name that readers see. */
  from: { name: string; address: string }
  /** The page of the web gateway that switches off a category; the token is added as `?token=`. */
  unsubscribeUrl: string
  /** The origin of the consumer application, which links lead to. */
  appOrigin: string
  /** Undefined in API processes, which do not send. */
  smtp: SmtpConfig | undefined
}

const PORT = 587
const PORT_SECURE = 465
const ADDRESS = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*$/
// No quotes, brackets, commas or control characters: the name is part of a header.
const FROM = /^(?:(?<name>[^"<>,;:@\\\p{C}]{1,100}?) *<(?<inner>[^<>]+)>|(?<plain>[^<> ]+))$/u

/** Undefined without SMTP_URL; in API processes, which do not have it, without EMAIL_FROM. */
export function readEmail(
  env: Environment,
  {
    production,
    isKeyless = false,
    appOrigin,
  }: { production: boolean; isKeyless?: boolean; appOrigin: string | undefined },
): EmailConfig | undefined {
  const { SMTP_URL: smtpUrl, EMAIL_FROM: from, UNSUBSCRIBE_URL: unsubscribeUrl } = env
  if (!smtpUrl && !from) return undefined
  if (!from || (!smtpUrl && !isKeyless)) {
    throw problem('Set SMTP_URL and EMAIL_FROM, or neither. API processes need only EMAIL_FROM.')
  }
  if (!appOrigin) throw problem('Set CONSUMER_APP_ORIGIN: e-mails link to the application.')
  return {
    from: readFrom(from),
    appOrigin,
    unsubscribeUrl: unsubscribeUrl
      ? safeUrl('UNSUBSCRIBE_URL', unsubscribeUrl, production)
      : `${appOrigin}/unsubscribe`,
    smtp: isKeyless || !smtpUrl ? undefined : readSmtp(smtpUrl, production),
  }
}

function readFrom(value: string): EmailConfig['from'] {
  const { name = '', inner, plain } = FROM.exec(value)?.groups ?? {}
  const address = inner ?? plain ?? ''
  if (ADDRESS.test(address) && address.length <= 254) return { name: name.trim(), address }
  throw problem(
    'EMAIL_FROM must be an address, or a name and an address: Acme <mail@acme.example>.',
  )
}

/** Messages never repeat the URL, because it contains a password. */
function readSmtp(value: string, production: boolean): SmtpConfig {
  const url = URL.parse(value)
  // No options in the URL: one could turn off the check of the server's certificate.
  const isPlain = url && /^\/?$/.test(url.pathname) && !/[?#]/.test(value)
  if (!isPlain || !url.hostname || !/^smtps?:$/.test(url.protocol)) {
    throw problem('SMTP_URL must be smtps://USER:PASSWORD@HOST:PORT or smtp://…, without a query.')
  }
  const isSecure = url.protocol === 'smtps:'
  const { user, password } = readCredentials(url)
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(url.port || (isSecure ? PORT_SECURE : PORT)),
    isSecure,
    requiresStartTls: !isSecure && production && !isLoopback(url),
    user,
    password,
  }
}

function readCredentials(url: URL): Pick<SmtpConfig, 'user' | 'password'> {
  if (!url.username !== !url.password) {
    throw problem('SMTP_URL must have both a user and a password, or neither.')
  }
  if (!url.username) return { user: undefined, password: undefined }
  try {
    return {
      user: decodeURIComponent(url.username),
      password: decodeURIComponent(url.password),
    }
  } catch {
    throw problem('SMTP_URL must have its user and password percent-encoded.')
  }
}
