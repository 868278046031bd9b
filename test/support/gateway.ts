/** A gateway in front of an API, with a real OpenID provider and a real database. */
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { devRealm } from '#dev/defaults.ts'
import { pickPort } from '#dev/free-ports.ts'
import { startHelperServer } from '#dev/helper-server.ts'
import type { DevIdentity } from '#dev/identity.ts'
import { createDevProvider } from '#dev/openid-provider.ts'
import { createIds } from '#platform/clock.ts'
import type { Environment, Realm } from '#platform/config/config.ts'
import { readWebConfig } from '#platform/config/web.ts'
import { createMovingClock, type MovingClock } from '#test/support/moving-clock.ts'
import { openBrowser, type WebBrowser } from '#test/support/web-browser.ts'
import type { SignInProvider } from '#web/oidc.ts'
import type { WebContext } from '#web/web-context.ts'
import { composeWeb, type DevelopmentParts, startWeb } from '#web.ts'

export const TEST_WEB_SECRET = 'Zx3vQ9mT1sLr7Kp5Wd2Yc8Nb4Hf6Jg0Ra+Eu/OiMkVw='

export type TestGateway = {
  origin: string
  /** The provider's address. */
  helper: string
  ctx: WebContext
  clock: MovingClock
  /** How often the provider was asked to refresh. */
  refreshes(): number
  /** Replaces what the provider does from now on. */
  replaceProvider(parts: Partial<SignInProvider>): void
  browser(): WebBrowser
  stop(): Promise<void>
}

type GatewayOptions = {
  apiUrl: string
  databaseUrl: string
  identity: DevIdentity
  realm?: Realm
  root?: string
  env?: Environment
  development?: DevelopmentParts
}

async function startProvider({ identity }: GatewayOptions, origin: string) {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-web-'))
  const realms = { consumer: devRealm('consumer', 0), admin: devRealm('admin', 0) }
  const applications = { consumer: origin, admin: origin }
  const signIn = await createDevProvider({ folder, identity, realms, applications })
  const helper = await startHelperServer({
    port: 0,
    identity,
    ids: createIds(),
    about: () => undefined,
    faucet: () => undefined,
    signIn,
  })
  const { port } = helper.server.address() as AddressInfo
  const stop = async () => {
    await helper.close()
    await rm(folder, { recursive: true, force: true })
  }
  return { url: `http://127.0.0.1:${port}`, realms, stop }
}

export async function startGateway(options: GatewayOptions): Promise<TestGateway> {
  const port = await pickPort('127.0.0.1')
  const origin = `http://127.0.0.1:${port}`
  const provider = await startProvider(options, origin)
  const { realm = 'consumer' } = options
  const prefix = realm.toUpperCase()
  const config = readWebConfig({
    DATABASE_URL: options.databaseUrl,
    WEB_SECRET: TEST_WEB_SECRET,
    WEB_REALM: realm,
    WEB_PORT: String(port),
    ADMIN_WEB_PORT: String(port),
    API_URL: options.apiUrl,
    LOG_LEVEL: 'silent',
    RATE_LIMIT_PER_ADDRESS: '1000000',
    [`${prefix}_ISSUER`]: provider.realms[realm].issuer,
    [`${prefix}_CLIENT_ID`]: provider.realms[realm].audience,
    [`${prefix}_DISCOVERY_URL`]: `${provider.url}/${realm}/.well-known/openid-configuration`,
    WEB_ROOT: options.root ?? join(tmpdir(), 'no-such-build'),
    ...options.env,
  })
  const clock = createMovingClock()
  const ctx = composeWeb(config, { clock })
  const real = { ...ctx.provider }
  let refreshes = 0
  ctx.provider.refresh = (token) => {
    refreshes += 1
    return real.refresh(token)
  }
  const gateway = await startWeb(ctx, options.development)
  return {
    origin,
    helper: provider.url,
    ctx,
    clock,
    refreshes: () => refreshes,
    replaceProvider: (parts) => void Object.assign(ctx.provider, parts),
    browser: () => openBrowser(origin),
    async stop() {
      await gateway.stop()
      await provider.stop()
    },
  }
}
