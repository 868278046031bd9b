/** Parsers of single variables. Each throws a one-line message for an invalid value. */
import { StartupError } from '#platform/errors.ts'

export type Environment = Record<string, string | undefined>

export const isProduction = (env: Environment): boolean => env.NODE_ENV === 'production'

export const problem = (line: string) => new StartupError(line)

export function integer(
  env: Environment,
  name: string,
  { fallback, min, max }: { fallback: number; min: number; max: number },
): number {
  const value = env[name]
  if (value === undefined || value === '') return fallback
  const parsed = /^[0-9]{1,16}$/.test(value) ? Number(value) : Number.NaN
  if (!(parsed >= min && parsed <= max)) {
    throw problem(
      `${name} must be a whole number from ${min} to ${max}, not ${JSON.stringify(value)}.`,
    )
  }
  return parsed
}

export function flag(env: Environment, name: string, fallback: boolean): boolean {
  const value = env[name]
  if (value === undefined || value === '') return fallback
  if (value !== 'true' && value !== 'false') {
    throw problem(`${name} must be true or false, not ${JSON.stringify(value)}.`)
  }
  return value === 'true'
}

export function choice<const T extends string>(
  env: Environment,
  name: string,
  { options, fallback }: { options: readonly T[]; fallback: T },
): T {
  const value = env[name] || fallback
  const found = options.find((option) => option === value)
  if (found === undefined) {
    throw problem(`${name} must be one of ${options.join(', ')}, not ${JSON.stringify(value)}.`)
  }
  return found
}

export function url(env: Environment, name: string, protocols: readonly string[]): string {
  const value = env[name] ?? ''
  const protocol = URL.canParse(value) ? new URL(value).protocol : undefined
  if (protocol === undefined || !protocols.includes(protocol)) {
    // Not repeated, because the value may contain a password.
    throw problem(`${name} must be a ${protocols.map((p) => `${p}//`).join(' or ')} URL.`)
  }
  return value
}

/** Messages never repeat the value, because most are secrets. */
export function visible(env: Environment, name: string, lengthMax: number): string | undefined {
  const value = env[name]
  if (!value) return undefined
  if (value.length <= lengthMax && /^[\x21-\x7e]+$/.test(value)) return value
  throw problem(`${name} must be 1 to ${lengthMax} visible ASCII characters.`)
}

/** Only names and addresses that always mean this machine. */
export const isLoopback = ({ hostname }: URL): boolean =>
  /^(?:localhost|127(?:\.[0-9]+){3}|\[::1\])$/.test(hostname)

/** In production it must be https, or http on loopback. */
export function safeUrl(name: string, value: string, production: boolean): string {
  const url = URL.parse(value)
  const isPlain = url && !url.username && !url.password && !/[?#]/.test(value)
  const isOpen = url?.protocol === 'http:' && (isLoopback(url) || !production)
  if (isPlain && (url.protocol === 'https:' || isOpen)) return value.replace(/\/+$/, '')
  const kind = production ? 'https:// (on loopback http://)' : 'https:// or http://'
  throw problem(`${name} must be a ${kind} URL without user, query or fragment.`)
}
