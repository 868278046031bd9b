/** The development helper on DEV_PORT: tokens, a faucet, and both realms' identity providers. */
import { isEvmAddress } from '@countersign/proof/values.ts'
import fastify, { type FastifyInstance } from 'fastify'
import { registerErrorHandler } from '#http/error-handler.ts'
import { registerJsonBody } from '#http/json-body.ts'
import { validatorCompiler } from '#http/validators.ts'
import type { Ids } from '#platform/clock.ts'
import type { Realm, RealmConfig } from '#platform/config/config.ts'
import { AppError, StartupError } from '#platform/errors.ts'
import { Type } from '#platform/schema.ts'
import { Address, BaseUnits, oneOf } from '#platform/values.ts'
import type { DevFaucet } from './dev-chain.ts'
import type { DevIdentity, TokenRequest } from './identity.ts'

const realm = oneOf(['consumer', 'admin'])

const FaucetBody = Type.Object(
  { address: Address, native: Type.Optional(BaseUnits), token: Type.Optional(BaseUnits) },
  { additionalProperties: false },
)
type FaucetRequest = { address: string; native?: string; token?: string }

const GIFT_DEFAULT_WEI = 10n ** 18n
const GIFT_MAX = 10n ** 30n

const TokenBody = Type.Object(
  {
    realm,
    subject: Type.String({ minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7e]+$' }),
    wallets: Type.Optional(
      Type.Array(
        Type.Object(
          {
            address: Type.String({ minLength: 1, maxLength: 64 }),
            kind: oneOf(['embedded', 'external']),
            chainType: Type.Optional(oneOf(['ethereum', 'solana'])),
          },
          { additionalProperties: false },
        ),
        { maxItems: 50 },
      ),
    ),
    name: Type.Optional(Type.String({ maxLength: 255 })),
    email: Type.Optional(Type.String({ maxLength: 255 })),
    emailVerified: Type.Optional(Type.Boolean()),
    expiresIn: Type.Optional(Type.Integer({ minimum: -1_000_000, maximum: 1_000_000 })),
    mfa: Type.Optional(
      Type.Object(
        {
          nonce: Type.String({ minLength: 1, maxLength: 255 }),
          authTime: Type.Optional(Type.Integer({ description: 'Unix seconds; defaults to now' })),
          methods: Type.Optional(
            Type.Array(Type.String({ minLength: 1, maxLength: 40 }), {
              maxItems: 10,
              description: 'The amr claim; defaults to mfa, pwd and otp',
            }),
          ),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
)

export type About = {
  api: string
  rpc: string
  chainId: number
  tokenAddress: string
} & Record<Realm, RealmConfig>

export type HelperOptions = {
  port: number
  identity: DevIdentity
  ids: Ids
  /** Undefined until the service is up. */
  about: () => About | undefined
  /** Undefined when the service uses another chain. */
  faucet: () => DevFaucet | undefined
  /** Adds the identity provider with its sign-in page. */
  signIn?: ((app: FastifyInstance) => void) | undefined
}

function rejectBadWallets({ wallets = [] }: TokenRequest): void {
  const bad = wallets.find(
    ({ address, chainType = 'ethereum' }) => chainType === 'ethereum' && !isEvmAddress(address),
  )
  if (bad) {
    throw new AppError('validation_failed', {
      message: '`wallets`: an Ethereum address must be 0x and 40 hex digits.',
    })
  }
}

async function give(faucet: DevFaucet | undefined, body: FaucetRequest): Promise<string[]> {
  if (!faucet)
    throw new AppError('dependency_unavailable', { message: 'There is no faucet on this chain.' })
  const { address, native, token } = body
  const wei = native === undefined && token === undefined ? GIFT_DEFAULT_WEI : BigInt(native ?? 0)
  const baseUnits = BigInt(token ?? 0)
  if (wei > GIFT_MAX || baseUnits > GIFT_MAX) {
    throw new AppError('validation_failed', {
      message: 'The amount exceeds the limit of the faucet.',
    })
  }
  return faucet.give({ address: address as `0x${string}`, wei, baseUnits })
}

export async function startHelperServer(options: HelperOptions): Promise<FastifyInstance> {
  const { identity, ids, about, port } = options
  const app = fastify({
    genReqId: () => ids.next(),
    forceCloseConnections: true,
    routerOptions: { ignoreTrailingSlash: true },
  })
  registerErrorHandler(app)
  app.setValidatorCompiler(validatorCompiler as never)
  registerJsonBody(app)

  app.get('/', async () => {
    const answer = about()
    if (!answer) throw new AppError('dependency_unavailable', { retryAfterSeconds: 1 })
    return answer
  })
  for (const name of ['consumer', 'admin'] as const) {
    app.get(`/${name}/.well-known/jwks.json`, async () => identity.jwks(name))
  }
  options.signIn?.(app)
  app.post<{ Body: TokenRequest }>('/token', { schema: { body: TokenBody } }, async (request) => {
    rejectBadWallets(request.body)
    return identity.issue(request.body)
  })

  app.post<{ Body: FaucetRequest }>(
    '/faucet',
    { schema: { body: FaucetBody } },
    async (request) => ({ transactionHashes: await give(options.faucet(), request.body) }),
  )

  try {
    await app.listen({ host: '127.0.0.1', port })
  } catch (error) {
    await app.close()
    const { code } = error as NodeJS.ErrnoException
    throw new StartupError(
      `Cannot listen on DEV_PORT ${port} (${code}). Set DEV_PORT to another port.`,
    )
  }
  return app
}
