/** The only file that names both a port and its adapter. */
import { createViemChain } from '#adapters/chain/viem-chain.ts'
import { createPaymentNodes } from '#adapters/chain/viem-payment-nodes.ts'
import { createCommandLineExecutor } from '#adapters/circle/circle-cli-executor.ts'
import { createCircleExecutor } from '#adapters/circle/circle-executor.ts'
import { createSmtpMailer } from '#adapters/email/smtp-mailer.ts'
import { createTokenIdentity } from '#adapters/identity/token-identity.ts'
import {
  createKeylessExecutor,
  createKeylessFunding,
  createKeylessWallets,
} from '#adapters/local/keyless.ts'
import { createLocalExecutor } from '#adapters/local/local-executor.ts'
import { createLocalFunding, localFundingTerms } from '#adapters/local/local-funding.ts'
import { createLocalWallets, localWalletTerms } from '#adapters/local/local-wallets.ts'
import { createModelAnalyst } from '#adapters/model/model-analyst.ts'
import { createPostgresAttachments } from '#adapters/postgres/postgres-attachments.ts'
import { createPrivyFunding, privyFundingTerms } from '#adapters/privy/privy-funding.ts'
import { createPrivyWallets, privyWalletTerms } from '#adapters/privy/privy-wallets.ts'
import { createWebPush } from '#adapters/push/web-push.ts'
import { countedSenders } from '#adapters/telemetry/counted-senders.ts'
import { tracedPorts } from '#adapters/telemetry/traced-ports.ts'
import { createStandardWebhooks } from '#adapters/webhooks/standard-webhooks.ts'
import { approvalReactions } from '#approvals/end-approval.ts'
import type { Context } from '#context.ts'
import { registerHealthMetrics } from '#health/health-metrics.ts'
import { createAgreedChain } from '#payments/engine/agreed-chain.ts'
import { type Clock, createIds, systemClock } from '#platform/clock.ts'
import type { Config } from '#platform/config/config.ts'
import { type Db, openDatabase } from '#platform/database/database.ts'
import { createOutcomes } from '#platform/jobs/await-outcome.ts'
import { createLog } from '#platform/log.ts'
import { createMetrics, type Metrics } from '#platform/metrics.ts'
import { deriveSecrets, masterKeysOf, type Secrets } from '#platform/secrets.ts'
import { currentTracer } from '#platform/tracing.ts'
import type { ExecutorProvider } from '#ports/executor-provider.ts'
import type { FundingProvider } from '#ports/funding-provider.ts'
import type { WalletProvider } from '#ports/wallet-provider.ts'

/** One connection for the tail, one for the access check of open streams. */
const TAIL_POOL_SIZE = 2

/** `as`: the database role. Only workers queue payments and write reports. */
export function compose(
  config: Config,
  replace: Partial<Context> = {},
  as: 'application' | 'worker' = 'application',
): Context {
  const clock = replace.clock ?? systemClock
  const log = replace.log ?? createLog({ level: config.logLevel })
  const onNotifyFailed = (err: unknown) => log.warn({ err }, 'cannot notify readers of live events')
  const url = config.databaseUrl
  const { isPooled, directUrl, databasePoolSize: poolSize } = config
  const db = replace.db ?? openDatabase({ url, isPooled, poolSize, as, onNotifyFailed })
  const metrics = createMetrics(config)
  const { rpc: onRpc } = metrics
  const secrets = deriveSecrets(config)
  registerPoolMetrics(metrics, db)
  const ids = replace.ids ?? createIds()
  const ctx: Context = {
    config,
    db,
    ownerDb: openDatabase({ url, isPooled, poolSize: 2, as: 'owner', onNotifyFailed }),
    observerDb: openDatabase({ url, isPooled, poolSize: config.observerPoolSize, as: 'observer' }),
    tailDb: openDatabase({ url, isPooled, poolSize: TAIL_POOL_SIZE, as: 'observer' }),
    clock,
    ids,
    log,
    metrics,
    secrets,
    outcomes: createOutcomes({ url: directUrl }),
    identity: createTokenIdentity({ realms: config.identity, clock }),
    chain: createViemChain({ ...config.chain, chainId: config.chain.id, onRpc }),
    paymentChain: createAgreedChain(
      createPaymentNodes({ ...config.chain, chainId: config.chain.id, onRpc }),
      config.chain,
    ),
    reactions: approvalReactions({ clock, ids }),
    executor: executorOf(config.executor, secrets),
    walletProvider: walletProviderOf(config.wallets, secrets),
    fundingProvider: fundingProviderOf(config, { secrets, clock }),
    attachmentStore: createPostgresAttachments({ db }),
    analyst:
      config.analyst && createModelAnalyst({ ...config.analyst, baseUrl: config.analyst.url }),
    push: createPush(config, clock),
    mailer: createMailer(config),
    webhooks: createStandardWebhooks({
      ...config.webhooks,
      clock,
      keys: secrets.keystoreKey ? masterKeysOf(secrets) : undefined,
    }),
    ...replace,
  }
  registerHealthMetrics(ctx)
  for (const warning of config.warnings) log.warn(warning)
  const counted = { ...ctx, ...countedSenders(ctx, metrics) }
  const tracer = currentTracer()
  if (!tracer) return counted
  tracer.reportTo({ spans: metrics.spans, log })
  return { ...counted, ...tracedPorts(counted, tracer) }
}

function registerPoolMetrics(metrics: Metrics, { pool }: Db): void {
  const { gauge } = metrics
  gauge('countersign_database_connections', 'Open connections in the pool', () => pool.total)
  gauge('countersign_database_waiting', 'Requests waiting for a connection', () => pool.waiting)
}

const createPush = ({ push: { publicKey, vapid, ...rules } }: Config, clock: Clock) =>
  publicKey === undefined
    ? undefined
    : createWebPush({ vapid: vapid ?? { publicKey }, clock, ...rules })

const createMailer = ({ email }: Config) =>
  email?.smtp && createSmtpMailer({ smtp: email.smtp, from: email.from })

function executorOf(executor: Config['executor'], secrets: Secrets): ExecutorProvider {
  if (executor.provider === 'keyless') return createKeylessExecutor(executor.of)
  if (executor.provider === 'circle') return createCircleExecutor(executor)
  if (executor.provider === 'command_line') return createCommandLineExecutor(executor)
  const { current: masterKey, previous: previousKey } = masterKeysOf(secrets)
  return createLocalExecutor({ masterKey, previousKey })
}

function walletProviderOf(
  wallets: Config['wallets'],
  secrets: Secrets,
): WalletProvider | undefined {
  if (wallets.provider === 'none') return undefined
  if (wallets.provider === 'privy') return createPrivyWallets(wallets)
  if (wallets.provider === 'local') return createLocalWallets(masterKeysOf(secrets))
  return createKeylessWallets(wallets.of === 'privy' ? privyWalletTerms(wallets) : localWalletTerms)
}

function fundingProviderOf(
  { wallets, funding: { maxAmount, lifetimeSeconds }, chain: { id: chainId } }: Config,
  { secrets, clock }: { secrets: Secrets; clock: Clock },
): FundingProvider | undefined {
  if (wallets.provider === 'none') return undefined
  if (wallets.provider === 'privy') {
    const { funding } = wallets
    return funding && createPrivyFunding({ ...wallets, funding, clock })
  }
  if (wallets.provider === 'local') {
    const limits = { chainId, maxAmount, lifetimeSeconds }
    return createLocalFunding({ keys: masterKeysOf(secrets), clock, limits })
  }
  if (wallets.of === 'local') return createKeylessFunding(localFundingTerms)
  return wallets.funding && createKeylessFunding(privyFundingTerms(wallets.funding))
}

type Connections = Pick<Context, 'db' | 'ownerDb' | 'observerDb' | 'tailDb' | 'outcomes'>

/** Closes the connections of a context, which cannot be used afterwards. */
export async function closeContext(ctx: Connections): Promise<void> {
  const { db, ownerDb, observerDb, tailDb, outcomes } = ctx
  const open = [db, ownerDb, observerDb, tailDb, outcomes]
  await Promise.all(open.map((connection) => connection.close()))
}
