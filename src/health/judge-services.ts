/** Pure rules: turn what a probe observed into a severity and a summary that says what to do. */
import type { Realm } from '#platform/config/config.ts'
import type { NodeState } from '#ports/chain.ts'
import type { KeySetState } from '#ports/identity-provider.ts'
import { actionRequired, degraded, type HealthVerdict, healthy } from './service-health.ts'

const DATABASE_SLOW_MS = 1_000
const WITHHELD_LONG_SECONDS = 10
const BEAT_LATE_SECONDS = 10
const BEAT_LOST_SECONDS = 30
const QUEUE_SLOW_SECONDS = 60
const QUEUE_STUCK_SECONDS = 600
const NODE_BEHIND_BLOCKS = 20
const NODE_SLOW_MS = 2_000
const FOLLOWER_LATE_SECONDS = 60
const FOLLOWER_LOST_SECONDS = 300
const MODEL_MISSES_MAX = 5

export type DatabaseFacts = {
  latencyMs: number
  /** How long the oldest live event has waited for an open transaction. */
  withheldSeconds: number
  /** Payments blocked within the last week because the service did not write their rows. */
  forgedPayments: number
}

export function judgeDatabase(facts: DatabaseFacts): HealthVerdict {
  const { latencyMs, withheldSeconds, forgedPayments } = facts
  if (forgedPayments > 0) {
    const summary =
      `${forgedPayments} payments were blocked because the service did not write their rows. ` +
      'Treat the database logins as compromised (docs/SECURITY.md), and search the logs for ' +
      '"forged".'
    return actionRequired('forged_rows', summary, latencyMs)
  }
  if (latencyMs >= DATABASE_SLOW_MS) {
    const summary = 'The database is slow. Check its load and long-running statements.'
    return degraded('database_slow', summary, latencyMs)
  }
  if (withheldSeconds > WITHHELD_LONG_SECONDS) {
    const summary =
      `Live events have waited ${withheldSeconds} s for an open transaction. ` +
      'Find it in pg_stat_activity (the oldest xact_start with a backend_xid) and end it.'
    return degraded('live_withheld', summary, latencyMs)
  }
  return healthy('The database answers.', { latencyMs })
}

export type QueueFacts = {
  due: number
  /** Permanently, within the last hour. */
  failed: number
  oldestDueSeconds: number
}

/** The heartbeat age is null when no worker has registered. */
export type WorkerFacts = QueueFacts & { beatAgeSeconds: number | null }

export function judgeWorker(facts: WorkerFacts): HealthVerdict {
  const { beatAgeSeconds, due, failed, oldestDueSeconds } = facts
  const waits = `The oldest of ${due} due jobs has waited ${oldestDueSeconds} s.`
  if (beatAgeSeconds === null || beatAgeSeconds > BEAT_LOST_SECONDS) {
    const summary =
      'No worker is running, so nothing is analysed, paid or delivered. Start one: npm run worker.'
    return actionRequired('worker_away', summary)
  }
  if (oldestDueSeconds > QUEUE_STUCK_SECONDS) {
    const summary = `${waits} Check the worker logs and start more workers.`
    return actionRequired('queue_stuck', summary)
  }
  if (beatAgeSeconds > BEAT_LATE_SECONDS) {
    const summary = `The last worker heartbeat was ${beatAgeSeconds} s ago. Check the workers.`
    return degraded('worker_late', summary)
  }
  if (oldestDueSeconds > QUEUE_SLOW_SECONDS) {
    return degraded('queue_slow', `${waits} Start more workers if this grows.`)
  }
  if (failed > 0) {
    const summary =
      `${failed} jobs failed permanently within the last hour. ` +
      'Find them in graphile_worker.jobs and in the worker logs.'
    return degraded('jobs_failed', summary)
  }
  return healthy('Jobs run as they become due.')
}

export type ChainFacts = {
  nodes: readonly NodeState[]
  /** Seconds since the follower last read the head; null when it never did. */
  followerAgeSeconds: number | null
}

export function judgeChain({ nodes, followerAgeSeconds }: ChainFacts): HealthVerdict {
  const answering = nodes.filter(({ outcome }) => outcome === 'answers')
  const latencyMs = answering.reduce((a, { latencyMs: b }) => Math.max(a, b ?? 0), 0)
  if (answering.length === 0) {
    const summary = 'No chain node answers, so payments wait. Check RPC_URLS and the node provider.'
    return actionRequired('chain_away', summary)
  }
  if (new Set(answering.map(({ commonHash }) => commonHash)).size > 1) {
    const summary =
      'The nodes disagree about the same block, so nothing is decided. Find the faulty node.'
    return actionRequired('nodes_disagree', summary, latencyMs)
  }
  return judgeFollower(followerAgeSeconds, latencyMs) ?? judgeNodes(nodes, latencyMs)
}

/** Blocks that each node is behind the highest; null for one that does not answer. */
export function lagsOf(nodes: readonly NodeState[]): (number | null)[] {
  const heads = nodes.map(({ outcome, headNumber }) => (outcome === 'answers' ? headNumber : null))
  const highest = Math.max(...heads.map((head) => head ?? 0))
  return heads.map((head) => (head === null ? null : highest - head))
}

function judgeFollower(age: number | null, latencyMs: number): HealthVerdict | undefined {
  // A new database: the follower sets its position shortly after the worker starts.
  if (age === null || age <= FOLLOWER_LATE_SECONDS) return undefined
  const summary = `The chain was last read ${age} s ago: balances may be stale. Check the workers.`
  const judge = age > FOLLOWER_LOST_SECONDS ? actionRequired : degraded
  return judge('follower_behind', summary, latencyMs)
}

function judgeNodes(nodes: readonly NodeState[], latencyMs: number): HealthVerdict {
  const count = (outcome: NodeState['outcome']) =>
    nodes.filter((node) => node.outcome === outcome).length
  const ofNodes = `of ${nodes.length} nodes`
  if (count('other_chain') > 0) {
    const summary = `${count('other_chain')} ${ofNodes} serve another chain. Correct RPC_URLS.`
    return degraded('node_of_other_chain', summary, latencyMs)
  }
  if (count('silent') > 0) {
    const summary = `${count('silent')} ${ofNodes} do not answer. Check the node provider.`
    return degraded('node_away', summary, latencyMs)
  }
  const heads = nodes.flatMap(({ headNumber }) => (headNumber === null ? [] : [headNumber]))
  const behind = Math.max(...heads) - Math.min(...heads)
  if (behind > NODE_BEHIND_BLOCKS) {
    const summary = `One ${ofNodes} is ${behind} blocks behind and delays the others. Replace it.`
    return degraded('node_behind', summary, latencyMs)
  }
  if (latencyMs > NODE_SLOW_MS) {
    const summary = 'A node takes seconds to answer and delays every read. Replace it.'
    return degraded('nodes_slow', summary, latencyMs)
  }
  return healthy(`${nodes.length} ${ofNodes} answer and agree.`, { latencyMs })
}

export type IdentityFacts = { states: Record<Realm, KeySetState>; latencyMs: number }

const realmNames: Record<Realm, string> = { consumer: 'consumer', admin: 'administrator' }

export function judgeIdentity({ states, latencyMs }: IdentityFacts): HealthVerdict {
  const realms = Object.entries(states) as [Realm, KeySetState][]
  const named = (state: KeySetState) =>
    realms.flatMap(([realm, found]) => (found === state ? [realmNames[realm]] : []))
  const [unusable] = named('unusable')
  if (unusable) {
    const summary = `The ${unusable} realm's key set has no usable key. Check its JWKS URL.`
    return actionRequired('key_set_unusable', summary, latencyMs)
  }
  const unreachable = named('unreachable')
  if (unreachable.length === realms.length) {
    const summary =
      'No key set is reachable: cached keys still work, new keys do not. Check both JWKS URLs.'
    return actionRequired('identity_away', summary)
  }
  if (unreachable.length > 0) {
    const summary = `The ${unreachable[0]} realm's key set is unreachable. Check its provider.`
    return degraded('key_set_away', summary, latencyMs)
  }
  return healthy('The key sets of both realms are reachable.', { latencyMs })
}

/** Newest first: whether the model contributed to each recent report. */
export function judgeAnalyst(
  isModelConfigured: boolean,
  answered: readonly boolean[],
): HealthVerdict {
  if (!isModelConfigured) {
    return healthy('The rules decide alone: no model is configured.', { code: 'rules_only' })
  }
  const first = answered.indexOf(true)
  const misses = first === -1 ? answered.length : first
  if (answered.length === 0) return healthy('The model was not asked recently.')
  if (misses === 0) return healthy('The model contributed to the latest report.')
  const summary = `The model gave no usable answer ${misses} times in a row; people review instead.`
  const remedy = 'Check ANALYST_URL, its key and its credit.'
  const judge = misses >= MODEL_MISSES_MAX ? actionRequired : degraded
  return judge('model_away', `${summary} ${remedy}`)
}

export const judgePush = (isConfigured: boolean): HealthVerdict =>
  isConfigured
    ? healthy('Push is configured.')
    : healthy('Push is off: no VAPID keys are set.', { code: 'not_configured' })

export type ProviderState = 'ready' | 'rejects_credentials' | 'silent'

/** Undefined while the provider is ready; then the keys in the database decide. */
export function judgeWalletProvider(state: ProviderState): HealthVerdict | undefined {
  if (state === 'rejects_credentials') {
    const summary = 'The wallet provider rejects our credentials. Check them in the configuration.'
    return actionRequired('wallet_provider_refuses', summary)
  }
  const summary =
    'The wallet provider does not answer. No wallet can be created or exported until it does.'
  return state === 'silent' ? degraded('wallet_provider_unavailable', summary) : undefined
}

/** Undefined while every funding signer was denied what its policy must deny. */
export function judgeSigners(isUnconstrained: boolean): HealthVerdict | undefined {
  const summary =
    'A funding signer was able to do what its policy must deny. The service removed it: ' +
    'check the policy at the provider, and that the signer is no longer on the wallet.'
  return isUnconstrained ? actionRequired('funding_signer_unconstrained', summary) : undefined
}

/** Undefined when there is no key to try. */
export function judgeKeys(isReadable: boolean | undefined): HealthVerdict {
  if (isReadable !== false) return healthy('Keys are stored encrypted and can be opened.')
  const summary =
    "An executor's key cannot be opened, so it cannot pay. Restore the earlier KEYSTORE_SECRET, " +
    'or SERVER_SECRET if there was none.'
  return actionRequired('keys_unreadable', summary)
}
