/** What a command may reach. Each command picks the parts it needs in its signature. Types only. */
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
import type { Chain } from '#ports/chain.ts'
import type { ExecutorProvider } from '#ports/executor-provider.ts'
import type { FundingProvider } from '#ports/funding-provider.ts'
import type { IdentityProvider } from '#ports/identity-provider.ts'
import type { PushService } from '#ports/push-service.ts'
import type { WalletProvider } from '#ports/wallet-provider.ts'

export type Context = {
  config: Config
  db: Db
  /** With the login's own rights: operators and accounts are administered through it. */
  ownerDb: Db
  /** Across tenants and read-only: for operators, and for whoever follows the journal. */
  observerDb: Db
  /** The same for the tail of live events alone, which no operator's query may hold up. */
  tailDb: Db
  clock: Clock
  ids: Ids
  log: Log
  metrics: Metrics
  secrets: Secrets
  /** Lets requests of API processes wait for the outcome of workers' jobs. */
  outcomes: Outcomes
  identity: IdentityProvider
  chain: Chain
  executor: ExecutorProvider
  /** What the nodes say together of payments on their way. */
  laneChain: LaneChain
  /** What must follow in rooms further down, in the same transaction. */
  reactions: Reactions
  /** Undefined when no model is configured: the rules stand alone. */
  analyst: Analyst | undefined
  /** Undefined without VAPID keys: nobody is told by push. */
  push: PushService | undefined
  /** Undefined when none is configured: no wallet is made here, and none is handed over. */
  walletProvider: WalletProvider | undefined
  /** Undefined when none is configured: nobody deposits from here. */
  fundingProvider: FundingProvider | undefined
}
