/** Pure rules: from what was seen of a part to how it is doing, in words that say what to do. */
import type { Realm } from '#platform/config/config.ts'
import type { NodeState } from '#ports/chain.ts'
import type { KeySetState } from '#ports/identity-provider.ts'
import { actionRequired, degraded, healthy, type Verdict } from './service-health.ts'

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
  /** How long the first live event waits for a transaction that is still open. */
  withheldSeconds: number
  /** Payments blocked within the last week because the service did not write their rows. */
  forgedPayments: number
}

export function judgeDatabase(facts: DatabaseFacts): Verdict {
  const { latencyMs, withheldSeconds, forgedPayments } = facts
  if (forgedPayments > 0) {
    const words =
      `${forgedPayments} payments were blocked because the service did not write their rows. ` +
      'Treat the database logins as stolen (docs/SECURITY.md), and look for "forged" in the logs.'
    return actionRequired('forged_rows', words, latencyMs)
  }
  if (latencyMs >= DATABASE_SLOW_MS) {
    const words = 'The database answers slowly. Look at its load and at long statements.'
    return degraded('database_slow', words, latencyMs)
  }
  if (withheldSeconds > WITHHELD_LONG_SECONDS) {
    const words =
      `Live events wait for ${withheldSeconds} s, because a transaction stays open. ` +
      'Look for it in pg_stat_activity (the oldest xact_start with a backend_xid), and end it.'
    return degraded('live_withheld', words, latencyMs)
  }
  return healthy('The database answers.', { latencyMs })
}

export type QueueFacts = {
  due: number
  /** For good, within the last hour. */
  failed: number
  oldestDueSeconds: number
}

/** The heartbeat's age is null when no worker has signed on. */
export type WorkerFacts = QueueFacts & { beatAgeSeconds: number | null }

export function judgeWorker(facts: WorkerFacts): Verdict {
  const { beatAgeSeconds, due, failed, oldestDueSeconds } = facts
  const waits = `The oldest of ${due} due jobs has waited ${oldestDueSeconds} s.`
  if (beatAgeSeconds === null || beatAgeSeconds > BEAT_LOST_SECONDS) {
    const words =
      'No worker runs, so nothing is analysed, paid or delivered. Start one: npm run worker.'
    return actionRequired('worker_away', words)
  }
  if (oldestDueSeconds > QUEUE_STUCK_SECONDS) {
    const words = `${waits} Look at the logs of the workers, and start more of them.`
    return actionRequired('queue_stuck', words)
  }
  if (beatAgeSeconds > BEAT_LATE_SECONDS) {
    const words = `No worker has shown itself for ${beatAgeSeconds} s. Check that one is running.`
    return degraded('worker_late', words)
  }
  if (oldestDueSeconds > QUEUE_SLOW_SECONDS) {
    return degraded('queue_slow', `${waits} Start more workers if it grows.`)
  }
  if (failed > 0) {
    const words =
      `${failed} jobs have failed for good within an hour. ` +
      'Look for them in graphile_worker.jobs and in the logs of the workers.'
    return degraded('jobs_failed', words)
  }
  return healthy('Jobs are done as they become due.')
}

export type ChainFacts = {
  nodes: readonly NodeState[]
  /** Since the follower last read the head; null when it never did. */
  followerAgeSeconds: number | null
}

export function judgeChain({ nodes, followerAgeSeconds }: ChainFacts): Verdict {
  const answering = nodes.filter(({ outcome }) => outcome === 'answers')
  const latencyMs = answering.reduce((a, { latencyMs: b }) => Math.max(a, b ?? 0), 0)
  if (answering.length === 0) {
    const words =
      'No node of the chain answers. Check RPC_URLS and the node provider; payments wait meanwhile.'
    return actionRequired('chain_away', words)
  }
  if (new Set(answering.map(({ commonHash }) => commonHash)).size > 1) {
    const words =
      'The nodes disagree about the same block, so nothing is decided. Find the wrong one.'
    return actionRequired('nodes_disagree', words, latencyMs)
  }
  return judgeFollower(followerAgeSeconds, latencyMs) ?? judgeNodes(nodes, latencyMs)
}

function judgeFollower(age: number | null, latencyMs: number): Verdict | undefined {
  // A new database: the follower has its first place a moment after the worker starts.
  if (age === null || age <= FOLLOWER_LATE_SECONDS) return undefined
  const words = `The chain was last read ${age} s ago: balances may be old. Look at the workers.`
  const judge = age > FOLLOWER_LOST_SECONDS ? actionRequired : degraded
  return judge('follower_behind', words, latencyMs)
}

function judgeNodes(nodes: readonly NodeState[], latencyMs: number): Verdict {
  const count = (outcome: NodeState['outcome']) =>
    nodes.filter((node) => node.outcome === outcome).length
  const of = `of ${nodes.length} nodes`
  if (count('other_chain') > 0) {
    const words = `${count('other_chain')} ${of} serve another chain. Correct RPC_URLS.`
    return degraded('node_of_other_chain', words, latencyMs)
  }
  if (count('silent') > 0) {
    const words = `${count('silent')} ${of} do not answer. Check the node provider.`
    return degraded('node_away', words, latencyMs)
  }
  const heads = nodes.flatMap(({ headNumber }) => (headNumber === null ? [] : [headNumber]))
  const behind = Math.max(...heads) - Math.min(...heads)
  if (behind > NODE_BEHIND_BLOCKS) {
    const words = `One ${of} is ${behind} blocks behind, and the others wait for it. Replace it.`
    return degraded('node_behind', words, latencyMs)
  }
  if (latencyMs > NODE_SLOW_MS) {
    const words = 'A node takes seconds to answer, and every read waits for it. Replace it.'
    return degraded('nodes_slow', words, latencyMs)
  }
  return healthy(`${nodes.length} ${of} answer and agree.`, { latencyMs })
}

export type IdentityFacts = { states: Record<Realm, KeySetState>; latencyMs: number }

const realmNames: Record<Realm, string> = { consumer: 'consumer', admin: 'administrator' }

export function judgeIdentity({ states, latencyMs }: IdentityFacts): Verdict {
  const realms = Object.entries(states) as [Realm, KeySetState][]
  const named = (state: KeySetState) =>
    realms.flatMap(([realm, found]) => (found === state ? [realmNames[realm]] : []))
  const [unusable] = named('unusable')
  if (unusable) {
    const words = `The ${unusable} realm's key set has no usable key. Check its JWKS URL.`
    return actionRequired('key_set_unusable', words, latencyMs)
  }
  const away = named('unreachable')
  if (away.length === realms.length) {
    const words =
      'No key set can be reached: known keys go on working, new ones do not. Check both JWKS URLs.'
    return actionRequired('identity_away', words)
  }
  if (away.length > 0) {
    const words = `The ${away[0]} realm's key set cannot be reached. Check its provider.`
    return degraded('key_set_away', words, latencyMs)
  }
  return healthy('The key sets of both realms can be read.', { latencyMs })
}

/** Newest first: whether the model had a say in each report of late. */
export function judgeAnalyst(isModelConfigured: boolean, answered: readonly boolean[]): Verdict {
  if (!isModelConfigured) {
    return healthy('The rules judge alone: no model is configured.', { code: 'rules_only' })
  }
  const first = answered.indexOf(true)
  const misses = first === -1 ? answered.length : first
  if (answered.length === 0) return healthy('The model was not asked lately.')
  if (misses === 0) return healthy('The model had a say in the newest report.')
  const words = `The model gave no usable answer ${misses} times in a row; the rules judge alone.`
  const remedy = 'Check ANALYST_URL, its key and its credit.'
  const judge = misses >= MODEL_MISSES_MAX ? actionRequired : degraded
  return judge('model_away', `${words} ${remedy}`)
}

export const judgePush = (isConfigured: boolean): Verdict =>
  isConfigured
    ? healthy('Push is configured.')
    : healthy('Push is off: no VAPID keys are set.', { code: 'not_configured' })

export type ProviderState = 'ready' | 'refuses_us' | 'silent'

/** Undefined while all is well with whoever makes server wallets: the keys here decide then. */
export function judgeWalletProvider(state: ProviderState): Verdict | undefined {
  if (state === 'refuses_us') {
    const words = 'The wallet provider refuses our credentials. Check them in the configuration.'
    return actionRequired('wallet_provider_refuses', words)
  }
  const words = 'The wallet provider does not answer. No wallet can be made or exported meanwhile.'
  return state === 'silent' ? degraded('wallet_provider_unavailable', words) : undefined
}

/** Undefined while every funding signer has denied what it must. */
export function judgeSigners(isUnconstrained: boolean): Verdict | undefined {
  const words =
    'A funding signer let a probe pass that its policy must deny. It was taken away; ' +
    'check the policy at the provider, and that the signer is gone from the wallet.'
  return isUnconstrained ? actionRequired('funding_signer_unconstrained', words) : undefined
}

/** Undefined: there is no key yet that could be tried. */
export function judgeKeys(isReadable: boolean | undefined): Verdict {
  if (isReadable !== false) return healthy('Keys are kept here, encrypted, and can be opened.')
  const words =
    "An executor's key cannot be opened, so it cannot pay. Restore the earlier KEYSTORE_SECRET, " +
    'or SERVER_SECRET if there was none.'
  return actionRequired('keys_unreadable', words)
}
