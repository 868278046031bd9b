/**
 * `ExecutorProvider` over Circle's developer-controlled wallets: Circle signs and sends. A report
 * says where to look and proves nothing. Only an invalid request counts as refused; after rejected
 * credentials, overload or an unclear answer the transaction may exist.
 */
import { isUuid } from '@countersign/proof/values.ts'
import type { CircleConfig } from '#platform/config/executor.ts'
import { uuidOf } from '#platform/digest.ts'
import type { ProviderAnswer } from '#platform/http-client/provider-client.ts'
import { fits, Type } from '#platform/schema.ts'
import { Address, lowerCased, Uuid } from '#platform/values.ts'
import type {
  DelegatedExecutor,
  Delegation,
  ProviderReport,
  ProvisionedExecutor,
  SubmitAnswer,
} from '#ports/executor-provider.ts'
import {
  type CircleClient,
  circleUnavailable,
  createCircleClient,
  PUBLIC_KEY_PATH,
} from './circle-client.ts'
import { parseReport } from './circle-report.ts'

/** Circle deduplicates by idempotency key, so a request can be repeated soon. */
const REPEAT_AFTER_MS = 3_000
const IN_FLIGHT_MAX = 16

const WalletSet = Type.Object({ walletSet: Type.Object({ id: Uuid }) })
const Wallet = Type.Object({
  id: Uuid,
  address: Address,
  blockchain: Type.String(),
  accountType: Type.String(),
  state: Type.Literal('LIVE'),
})
const OneWallet = Type.Object({ wallets: Type.Tuple([Wallet]) })
const FoundWallet = Type.Object({ wallet: Type.Omit(Wallet, ['id', 'accountType']) })

export type CircleOptions = CircleConfig & { timeoutMs?: number }

export function createCircleExecutor(options: CircleOptions): DelegatedExecutor {
  const client = createCircleClient(options)
  return {
    type: 'developer_controlled_wallet',
    check: () => check(client),
    provision: (input) => provision(client, options, input),
    fundGas: async () => {},
    holdsKey: ({ address, reference }) => holdsKey(client, options, { address, reference }),
    delegation: {
      submit: (input) => submit(client, options, input),
      poll: (input) => poll(client, input),
      repeatAfterMs: REPEAT_AFTER_MS,
      inFlightMax: IN_FLIGHT_MAX,
      paysOwnGas: options.accountType === 'EOA',
    },
  }
}

const acceptsCredentials = (answer: ProviderAnswer): boolean =>
  answer.outcome === 'done' || (answer.status !== 401 && answer.status !== 403)

async function check(client: CircleClient): Promise<'ready' | 'rejects_credentials'> {
  const answer = await client.get(PUBLIC_KEY_PATH)
  return answer.outcome === 'done' ? 'ready' : 'rejects_credentials'
}

/** A deterministic UUID of version 4, as Circle requires. */
const keyOf = (...parts: readonly string[]): string =>
  uuidOf(`countersign.circle.v1/${parts.join('/')}`)

type Provisioning = { organizationId: string; provisioningId: string }

async function provision(
  client: CircleClient,
  { blockchain, accountType, walletSetId: configured }: CircleConfig,
  { organizationId, provisioningId }: Provisioning,
): Promise<ProvisionedExecutor> {
  const walletSetId = configured ?? (await provisionSet(client, { organizationId, provisioningId }))
  const data = done(
    await client.post('/v1/w3s/developer/wallets', {
      // Includes the settings: a changed configuration creates another wallet.
      idempotencyKey: keyOf('wallet', provisioningId, walletSetId, blockchain, accountType),
      blockchains: [blockchain],
      walletSetId,
      accountType,
      count: 1,
      metadata: [{ name: 'executor', refId: organizationId }],
    }),
    'to create a wallet',
  )
  const wallet = fits(OneWallet, data) ? data.wallets[0] : undefined
  if (wallet?.blockchain !== blockchain || wallet.accountType !== accountType) {
    throw circleUnavailable('answered with another wallet')
  }
  return { address: wallet.address, reference: Buffer.from(wallet.id) }
}

async function provisionSet(
  client: CircleClient,
  { organizationId, provisioningId }: Provisioning,
): Promise<string> {
  const data = done(
    await client.post('/v1/w3s/developer/walletSets', {
      idempotencyKey: keyOf('wallet set', provisioningId),
      name: organizationId,
    }),
    'to create a wallet set',
  )
  if (!fits(WalletSet, data)) throw circleUnavailable('answered with another wallet set')
  return data.walletSet.id
}

function done(answer: ProviderAnswer, what: string): Record<string, unknown> {
  if (answer.outcome === 'done') return answer.body
  throw circleUnavailable(`refused ${what}, ${answer.status} ${answer.code}`)
}

const walletIdOf = (reference: Uint8Array): string => Buffer.from(reference).toString()

async function holdsKey(
  client: CircleClient,
  { blockchain }: CircleConfig,
  { address, reference }: { address: string; reference: Uint8Array },
): Promise<boolean> {
  const walletId = walletIdOf(reference)
  if (!isUuid(walletId)) return false
  const answer = await client.get(`/v1/w3s/wallets/${walletId}`)
  if (!acceptsCredentials(answer)) throw circleUnavailable('rejects our credentials')
  if (answer.outcome === 'refused' || !fits(FoundWallet, answer.body)) return false
  const { wallet } = answer.body
  return wallet.blockchain === blockchain && lowerCased(wallet.address) === lowerCased(address)
}

async function submit(
  client: CircleClient,
  { feeLevel }: CircleConfig,
  { idempotencyKey, reference, call, signal }: Parameters<Delegation['submit']>[0],
): Promise<SubmitAnswer> {
  const answer = await client.post(
    '/v1/w3s/developer/transactions/contractExecution',
    {
      idempotencyKey,
      walletId: walletIdOf(reference),
      contractAddress: call.vaultAddress,
      callData: call.data,
      feeLevel,
      refId: idempotencyKey,
    },
    { signal },
  )
  if (!acceptsCredentials(answer)) throw circleUnavailable('rejects our credentials')
  if (answer.outcome === 'refused') return { outcome: 'refused', code: answer.code }
  return reported(answer.body)
}

async function poll(
  client: CircleClient,
  { providerReference }: { providerReference: string },
): Promise<ProviderReport> {
  const answer = await client.get(`/v1/w3s/transactions/${encodeURIComponent(providerReference)}`)
  const { transaction } = done(answer, 'to report a transaction')
  const report = reported(transaction)
  if (report.providerReference === providerReference) return report
  throw circleUnavailable('answered with another transaction')
}

function reported(transaction: unknown): ProviderReport {
  const report = parseReport(transaction)
  if (!report) throw circleUnavailable('reported a transaction in an unknown format')
  return report
}
