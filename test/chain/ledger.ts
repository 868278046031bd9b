/** A database with a follower's steps, and snapshots of what the follower stored. */
import { createHash } from 'node:crypto'
import sql from 'sql-template-tag'
import { expect } from 'vitest'
import { approvalReactions } from '#approvals/end-approval.ts'
import { insertBlocks, insertWatch, savePosition } from '#chain/chain.store.ts'
import { followStep } from '#chain/follower.ts'
import type { LogHandlers } from '#chain/log-handlers.ts'
import type { StepOutcome } from '#chain/step.ts'
import type { Context } from '#context.ts'
import { type Clock, createIds, systemClock } from '#platform/clock.ts'
import { type Db, openDatabase } from '#platform/database/database.ts'
import { createLog } from '#platform/log.ts'
import type { Chain } from '#ports/chain.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { treasuryLogHandlers } from '#treasury/apply-log.ts'
import { insertVault } from '#treasury/vaults.store.ts'

export type WatchedVault = { address: string; fromBlock: number }

export type Snapshot = {
  position: unknown
  logs: Record<string, unknown>[]
  vaults: Record<string, unknown>[]
  policies: Record<string, unknown>[]
  payments: Record<string, unknown>[]
  recipients: Record<string, unknown>[]
  recipientLogs: Record<string, unknown>[]
  pauses: Record<string, unknown>[]
}

export type Ledger = {
  db: Db
  database: TestDatabase
  /** Each vault has an organization of its own. */
  addVault(vault: { address: string }): Promise<void>
  /** Lets the follower read the vault's logs from now on. */
  watch(vault: WatchedVault): Promise<void>
  step(parts?: {
    chain?: Chain
    handlers?: LogHandlers
    db?: Db
    clock?: Clock
    log?: Context['log']
    /** Blocks at once. */
    range?: number
  }): Promise<StepOutcome>
  /** Starts as the first start does, but without remembered blocks. */
  beginAtHead(): Promise<void>
  /** Steps until there is nothing left to do. */
  follow(): Promise<void>
  /** Lets histories be read that wait after a failure, or that a dead worker was reading. */
  endWaits(): Promise<void>
  handlers: LogHandlers
  snapshot(): Promise<Snapshot>
  /** Removes everything read from the chain and keeps the vaults. */
  forget(): Promise<void>
  close(): Promise<void>
}

const STEPS_MAX = 2_000

/** The same address gives the same ids in every database. */
const idOf = (kind: string, address: string): string => {
  const hex = createHash('sha256').update(`${kind}:${address}`).digest('hex')
  return [8, 12, 16, 20, 32]
    .map((end, index, ends) => hex.slice(index === 0 ? 0 : ends[index - 1], end))
    .join('-')
}

export const organizationOf = (address: string): string => idOf('organization', address)
export const vaultIdOf = (address: string): string => idOf('vault', address)

export async function openLedger(chain: Chain, { poolSize = 4 } = {}): Promise<Ledger> {
  const database = await createTestDatabase()
  const db = openDatabase({ url: database.url, poolSize, as: 'worker' })
  const log = createLog({ level: 'silent' })
  const addresses: string[] = []
  const parts = { clock: systemClock, ids: createIds() }
  const handlers = treasuryLogHandlers({ ...parts, chain, reactions: approvalReactions(parts) })
  const step: Ledger['step'] = (other = {}) =>
    followStep(
      {
        db: other.db ?? db,
        chain: other.chain ?? chain,
        clock: other.clock ?? systemClock,
        log: other.log ?? log,
      },
      other.handlers ?? handlers,
      other.range === undefined ? {} : { range: other.range },
    )
  return {
    db,
    database,
    handlers,
    step,
    async addVault({ address }) {
      await insertVaultRow(db, chain, address)
      addresses.push(address)
    },
    watch: (vault) => db.transaction({}, (tx) => insertWatch(tx, vault)),
    async beginAtHead() {
      const head = await chain.latestBlock()
      await db.transaction({}, async (tx) => {
        insertBlocks(tx, [head])
        savePosition(tx, head, systemClock.now())
      })
    },
    async follow() {
      for (let steps = 0; steps < STEPS_MAX; steps += 1) {
        if ((await step()) === 'idle') return
      }
      throw new Error('The follower does not come to rest')
    },
    endWaits: async () => {
      await database.asOwner("update chain_watches set due_at = '-infinity'")
    },
    snapshot: () => readSnapshot(db, addresses),
    forget: () => forget(db, database, addresses),
    async close() {
      await db.close()
      await database.drop()
    },
  }
}

async function insertVaultRow(db: Db, chain: Chain, address: string): Promise<void> {
  const organizationId = organizationOf(address)
  const accountId = idOf('account', address)
  const at = new Date()
  await db.transaction({ organizationId }, async (tx) => {
    await tx.query(sql`
      insert into accounts (id, realm, issuer, subject, created_at)
      values (${accountId}, 'consumer', 'test', ${address}, ${at})`)
    await tx.query(sql`
      insert into organizations (id, name, created_by_account_id, created_at)
      values (${organizationId}, 'Acme', ${accountId}, ${at})`)
    await insertVault(tx, {
      id: vaultIdOf(address),
      organizationId,
      label: 'Main',
      createdByAccountId: accountId,
      chainId: chain.chainId,
      address,
      tokenAddress: chain.tokenAddress,
      ownerAddress: address,
      artifactHash: chain.artifactHash,
      deploymentTransactionHash: `0x${'00'.repeat(32)}`,
      changeDelaySeconds: 0,
      state: 'verified',
      at,
    })
  })
}

const order = sql`order by block_number, log_index, vault_address`

async function readSnapshot(db: Db, addresses: readonly string[]): Promise<Snapshot> {
  const logs = await db.query<Record<string, unknown>>(sql`
    select block_number, log_index, block_hash, block_time, transaction_hash, vault_address, name,
      args from chain_logs ${order}`)
  const [position] = await db.query(sql`
    select block_number, block_hash, block_time from chain_position`)
  const snapshot: Snapshot = {
    position,
    logs,
    vaults: [],
    policies: [],
    payments: [],
    recipients: [],
    recipientLogs: [],
    pauses: [],
  }
  for (const address of [...addresses].sort()) {
    const organizationId = organizationOf(address)
    await db.transaction({ organizationId }, async (tx) => {
      for (const [name, select] of Object.entries(SELECTED)) {
        const rows = await tx.query<Record<string, unknown>>(select)
        snapshot[name as keyof typeof SELECTED].push(...rows)
      }
    })
  }
  return snapshot
}

/** Everything that the follower derives from logs, of one organization. */
const SELECTED = {
  vaults: sql`
    select address, balance, spent_total, policy_version, recipients_version, pause_number
    from vaults`,
  policies: sql`
    select vault_id, version, executor_address, approver_addresses, revoked_approvers,
      approved_cap, automatic_cap, lifetime_cap, reserve_floor, period_seconds, period_cap,
      automatic_period_cap, tiers, expires_at, automatic_enabled, paused, chain_transaction_hash,
      block_number, block_time
    from policies order by version`,
  payments: sql`
    select vault_id, chain_payment_id, recipient_address, mode, amount, transaction_hash,
      block_number, block_time from vault_payments order by chain_payment_id`,
  recipients: sql`
    select vault_id, address, allowed_from, blocked, recipients_version, transaction_hash,
      block_number from vault_recipients order by address`,
  recipientLogs: sql`
    select vault_id, address, block_number, log_index, kind, allowed_from, recipients_version,
      by_address, transaction_hash, block_time
    from vault_recipient_logs order by block_number, log_index, address, kind`,
  pauses: sql`
    select vault_id, policy_version, block_number, log_index, pause_number, paused, by_address,
      transaction_hash from vault_pauses order by block_number, log_index`,
}

async function forget(db: Db, database: TestDatabase, addresses: readonly string[]): Promise<void> {
  await database.asOwner('truncate chain_position, chain_blocks, chain_watches, chain_logs')
  for (const address of addresses) {
    await db.transaction({ organizationId: organizationOf(address) }, async (tx) => {
      await tx.query(sql`delete from policies`)
      await tx.query(sql`delete from vault_payments`)
      await tx.query(sql`delete from vault_recipients`)
      await tx.query(sql`delete from vault_recipient_logs`)
      await tx.query(sql`delete from vault_pauses`)
      await tx.query(sql`
        update vaults set balance = 0, spent_total = 0, policy_version = 0,
          recipients_version = 0, pause_number = 0`)
    })
  }
}

/** What a database would hold that has read only the current chain. */
async function replayed(fresh: Ledger, watched: readonly WatchedVault[]): Promise<Snapshot> {
  await fresh.forget()
  await fresh.beginAtHead()
  for (const vault of watched) await fresh.watch(vault)
  await fresh.follow()
  return fresh.snapshot()
}

/** Logs before the deployment may be read again after a rollback; they have no effect. */
function sinceDeployment(snapshot: Snapshot, watched: readonly WatchedVault[]): Snapshot {
  const from = new Map(watched.map(({ address, fromBlock }) => [address, fromBlock]))
  const logs = snapshot.logs.filter(
    (log) => Number(log.block_number) >= (from.get(String(log.vault_address)) ?? 0),
  )
  return { ...snapshot, logs }
}

/** Nothing else in the database may differ either. */
export async function expectEqualToReplay(
  ledger: Ledger,
  fresh: Ledger,
  watched: readonly WatchedVault[],
): Promise<Snapshot> {
  await ledger.follow()
  const actual = await ledger.snapshot()
  const wanted = await replayed(fresh, watched)
  expect(sinceDeployment(actual, watched)).toEqual(sinceDeployment(wanted, watched))
  return actual
}
