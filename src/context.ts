/**
 * Everything a command may use. Each command picks the parts it needs in its signature. Types only.
 */
import type { Reactions } from '#journal/reactions.ts'
import type { LaneChain } from '#payments/engine/lane.ts'
import type { Clock, Ids } from '#platform/clock.ts'
import type { Config } from '#platform/config/config.ts'
import type { Db } from '#platform/database/database.ts'
import type { Outcomes } from '#platform/jobs/await-outcome.ts'
import type { Log } from '#platform/log.ts'
import type { Metrics } from '#platform/metrics.ts'
import type { Secrets } from '#platform/secrets.ts'
import type { Analyst } from '#ports/analyst.ts'
import type { AttachmentStore } from '#ports/attachment-store.ts'
import type { Chain } from '#ports/chain.ts'
import type { ExecutorProvider } from '#ports/executor-provider.ts'
import type { FundingProvider } from '#ports/funding-provider.ts'
import type { IdentityProvider } from '#ports/identity-provider.ts'
import type { Mailer } from '#ports/mailer.ts'
import type { PushService } from '#ports/push-service.ts'
import type { WalletProvider } from '#ports/wallet-provider.ts'
import type { WebhookSender } from '#ports/webhook-sender.ts'

export type Context = {
  config: Config
  db: Db
  /** Uses the login's own rights, to administer operators and accounts. */
  ownerDb: Db
  /** Read-only across tenants, for operators and for followers of the journal. */
  observerDb: Db
  /** The same, reserved for the tail of live events, so that no operator's query delays it. */
  tailDb: Db
  clock: Clock
  ids: Ids
  log: Log
  metrics: Metrics
  secrets: Secrets
  /** Lets API requests wait for the outcome of a worker's job. */
  outcomes: Outcomes
  identity: IdentityProvider
  chain: Chain
  executor: ExecutorProvider
  /** The agreed view of the nodes on pending payments. */
  paymentChain: LaneChain
  /** Effects in downstream modules that must happen in the same transaction. */
  reactions: Reactions
  attachmentStore: AttachmentStore
  /** Undefined when no model is configured: the rules decide alone. */
  analyst: Analyst | undefined
  /** Undefined without VAPID keys: no push messages are sent. */
  push: PushService | undefined
  /** Undefined without SMTP_URL: no e-mail is sent. */
  mailer: Mailer | undefined
  webhooks: WebhookSender
  /** Undefined when none is configured: no wallets are created or exported. */
  walletProvider: WalletProvider | undefined
  /** Undefined when none is configured: the service makes no deposits. */
  fundingProvider: FundingProvider | undefined
}
