/** SQL for the follower: its position, recent blocks, watched addresses and logs. */
import sql, { join } from 'sql-template-tag'
import type { Db, Tx } from '#platform/database/database.ts'
import type { ChainBlock, VaultLog } from '#ports/chain.ts'

export type ChainPosition = { number: number; hash: string; blockTime: string; seenAt: string }

export async function findPosition(db: Pick<Db, 'query'>): Promise<ChainPosition | undefined> {
  const [row] = await db.query<ChainPosition>(sql`
    select block_number as number, block_hash as hash, block_time as "blockTime",
      seen_at as "seenAt"
    from chain_position`)
  return row
}

export function savePosition(tx: Tx, block: ChainBlock, seenAt: Date): void {
  tx.write(sql`
    insert into chain_position (block_number, block_hash, block_time, seen_at)
    values (${block.number}, ${block.hash}, to_timestamp(${block.timeSeconds}), ${seenAt})
    on conflict (only_row) do update set block_number = excluded.block_number,
      block_hash = excluded.block_hash, block_time = excluded.block_time,
      seen_at = excluded.seen_at`)
}

export function insertBlocks(tx: Tx, blocks: readonly ChainBlock[]): void {
  if (blocks.length === 0) return
  const rows = blocks.map(
    (b) => sql`(${b.number}::bigint, ${b.hash}, ${b.parentHash}, to_timestamp(${b.timeSeconds}))`,
  )
  tx.write(sql`
    insert into chain_blocks (number, hash, parent_hash, block_time) values ${join(rows)}
    on conflict (number) do update set hash = excluded.hash, parent_hash = excluded.parent_hash,
      block_time = excluded.block_time`)
}

export function deleteBlocksBelow(tx: Tx, number: number): void {
  tx.write(sql`delete from chain_blocks where number < ${number}`)
}

/** Newest first. */
export async function listRecentBlocks(db: Pick<Db, 'query'>): Promise<ChainBlock[]> {
  return db.query<ChainBlock>(sql`
    select number, hash, parent_hash as "parentHash",
      extract(epoch from block_time)::bigint as "timeSeconds"
    from chain_blocks order by number desc`)
}

export type Watch = { address: string; fromBlock: number; caughtUp: boolean }

export async function listWatches(db: Pick<Db, 'query'>): Promise<Watch[]> {
  return db.query<Watch>(sql`
    select address, from_block as "fromBlock", caught_up as "caughtUp"
    from chain_watches order by address`)
}

/** The follower first reads the history of the address, then follows it. */
export function insertWatch(
  tx: Tx,
  { address, fromBlock }: { address: string; fromBlock: number },
): void {
  tx.write(sql`
    insert into chain_watches (address, from_block) values (${address}, ${fromBlock})
    on conflict do nothing`)
}

export function markCaughtUp(
  tx: Tx,
  { address, openingBalance }: { address: string; openingBalance: bigint },
): void {
  tx.write(sql`
    update chain_watches set caught_up = true, opening_balance = ${openingBalance}
    where address = ${address}`)
}

/**
 * After a rollback to before a vault's deployment, its opening balance must be read again, and the
 * vault may be redeployed in any later block. Returns the addresses.
 */
export async function reopenWatches(tx: Tx, fromBlock: number): Promise<string[]> {
  const rows = await tx.query<{ address: string }>(sql`
    update chain_watches
    set from_block = ${fromBlock}, caught_up = false, opening_balance = 0
    where from_block > ${fromBlock} returning address`)
  return rows.map(({ address }) => address)
}

/** bigint has no JSON form, so amounts are decimal strings, as everywhere. */
const toJson = (value: unknown): string =>
  JSON.stringify(value, (_key, part) => (typeof part === 'bigint' ? part.toString() : part))

export function insertLogs(tx: Tx, logs: readonly { log: VaultLog; timeSeconds: number }[]): void {
  const args = logs.map(({ log: { event } }) => {
    const { name: _name, ...rest } = event
    return toJson(rest)
  })
  tx.write(sql`
    insert into chain_logs (block_number, log_index, block_hash, block_time, transaction_hash,
      vault_address, name, args)
    select n.block_number, n.log_index, n.block_hash, to_timestamp(n.seconds), n.transaction_hash,
      n.vault_address, n.name, n.args::jsonb
    from unnest(${logs.map(({ log }) => log.blockNumber)}::bigint[],
      ${logs.map(({ log }) => log.logIndex)}::integer[],
      ${logs.map(({ log }) => log.blockHash)}::text[],
      ${logs.map(({ timeSeconds }) => timeSeconds)}::bigint[],
      ${logs.map(({ log }) => log.transactionHash)}::text[],
      ${logs.map(({ log }) => log.vaultAddress)}::text[],
      ${logs.map(({ log }) => log.event.name)}::text[], ${args}::text[])
      as n (block_number, log_index, block_hash, seconds, transaction_hash, vault_address, name,
        args)`)
}

/** Returns the vaults that had logs above the block. */
export async function deleteAbove(tx: Tx, blockNumber: number): Promise<string[]> {
  const rows = await tx.query<{ address: string }>(sql`
    with gone as (
      delete from chain_logs where block_number > ${blockNumber} returning vault_address
    ), blocks as (
      delete from chain_blocks where number > ${blockNumber}
    )
    select distinct vault_address as address from gone order by 1`)
  return rows.map(({ address }) => address)
}

/** A transaction-level lock: it ends with the step and needs no dedicated connection. */
export async function lockFollower(tx: Tx): Promise<boolean> {
  const [row] = await tx.query<{ free: boolean }>(sql`
    select pg_try_advisory_xact_lock(4017551328) as free`)
  return row?.free ?? false
}
