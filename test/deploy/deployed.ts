/** Reads what an operator deploys: environment files, and which variables the service knows. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '..', '..')
export const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

/** The source of a program: `dist/src/main.mjs` is bundled from `src/main.ts`. */
export const sourceOf = (program: string): string =>
  join(ROOT, program.replace(/^dist\/(.+)\.mjs$/, '$1.ts'))

export type Variables = Record<string, string>

/** As docker and systemd read it: one assignment in a line, without quotes or substitution. */
export function variablesIn(text: string): Variables {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return Object.fromEntries(
    lines.map((line) => {
      const [, name, value] = /^([A-Z][A-Z0-9_]*)=(\S*)$/.exec(line) ?? []
      if (name === undefined || value === undefined) throw new Error(`No assignment: ${line}`)
      return [name, value]
    }),
  )
}

const SECRETS = {
  SERVER_SECRET: 'rLq8ZV5n0cXw3J+Tk1uYb7/HsGd2Me9PfAi4oRxUzKE=',
  WORKER_SECRET: 'Bq5Wz8Ks1/Tn4Vd7Lp0Xm3Rc6Yh9+GfJa2EuQiOyZrM=',
  KEYSTORE_SECRET: 'nV7q2Lw9+Xc4Rt6Yb1Zk8Pm3Hd5Gf0/JsAe2UoIxTyQ=',
  WEB_SECRET: 'Zx3vQ9mT1sLr7Kp5Wd2Yc8Nb4Hf6Jg0Ra+Eu/OiMkVw=',
}

/** What an operator might fill in. */
const FILLED_IN: Variables = {
  ...SECRETS,
  CONSUMER_ISSUER: 'https://id.example/members',
  CONSUMER_AUDIENCE: 'api-of-members',
  CONSUMER_ID_AUDIENCE: 'members',
  CONSUMER_JWKS_URL: 'https://id.example/members/keys',
  CONSUMER_CLIENT_ID: 'members',
  CONSUMER_CLIENT_SECRET: 'of-members',
  ADMIN_ISSUER: 'https://id.example/operators',
  ADMIN_AUDIENCE: 'api-of-operators',
  ADMIN_ID_AUDIENCE: 'operators',
  ADMIN_JWKS_URL: 'https://id.example/operators/keys',
  ADMIN_CLIENT_ID: 'operators',
  ADMIN_CLIENT_SECRET: 'of-operators',
  CONSUMER_APP_ORIGIN: 'https://app.example',
  WEB_ORIGIN: 'https://app.example',
  CHAIN_ID: '8453',
  RPC_URLS: 'https://one.example,https://two.example',
  TOKEN_ADDRESS: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  CONFIRMATIONS: '100',
  FIRST_OPERATOR: 'somebody',
  PGPASSWORD: 'a-password-of-a-login',
  API_LOGIN_PASSWORD: 'a-password-of-a-login',
  WORKER_LOGIN_PASSWORD: 'a-password-of-a-login',
  WEB_LOGIN_PASSWORD: 'a-password-of-a-login',
  SERVICE_VERSION: '1.2.3',
  CONSUMER_HOST: 'app.example',
  ADMIN_HOST: 'admin.example',
  API_HOST: 'api.example',
  POSTGRES_PASSWORD: 'a-password-of-a-login',
  OWNER_PASSWORD: 'a-password-of-a-login',
}

const sample = (name: string): string => {
  const value = FILLED_IN[name]
  if (value === undefined) throw new Error(`No sample value for ${name}`)
  return value
}

/** The empty variables of an example filled in, and `${NAME}` or `${NAME:?…}` replaced. */
export const fillIn = (variables: Variables): Variables =>
  Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [
      name,
      value === ''
        ? sample(name)
        : String(value).replace(/\$\{(\w+)(?::\?[^}]*)?\}/g, (_all, used: string) => sample(used)),
    ]),
  )

const configuration = (): string =>
  read('README.md')
    .split(/^## /m)
    .find((part) => part.startsWith('Configuration\n')) ?? ''

/** `test/documents.test.ts` compares this table with what the code reads. */
const documented = (): string[] =>
  [...configuration().matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, names = '']) =>
    [...names.matchAll(/`([A-Z][A-Z0-9_]*)`/g)].map(([, name = '']) => name),
  )

/** Not in the table: the passwords that `npm run logins` sets, and what Node and libpq read. */
const OTHERS = ['API_LOGIN_PASSWORD', 'WORKER_LOGIN_PASSWORD', 'WEB_LOGIN_PASSWORD']
const KNOWN = new Set([...documented(), ...OTHERS, 'NODE_ENV', 'PGPASSWORD'])

export const unknownIn = (variables: Variables): string[] =>
  Object.keys(variables).filter((name) => !KNOWN.has(name))
