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

export async function findBlockHash(tx: Tx, number: number): Promise<string | undefined> {
  const [row] = await tx.query<{ hash: string }>(sql`
    select hash from chain_blocks where number = ${number}`)
  return row?.hash
}

export type Watch = { address: string; caughtUp: boolean }

export async function listWatches(db: Pick<Db, 'query'>): Promise<Watch[]> {
  return db.query<Watch>(sql`
    select address, caught_up as "caughtUp" from chain_watches order by address`)
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

/** A vault whose history is being read. */
export type UnreadWatch = {
  address: string
  fromBlock: number
  /** The newest block whose logs are stored; the one before the first if there is none yet. */
  readTo: number
  rangeBlocks: number
  failures: number
}

const readTo = sql`coalesce(read_to, from_block - 1)`

/**
 * The vault that has waited longest; nobody else gets it for that long. Times are the database's,
 * so the clocks of workers need not agree.
 */
export async function claimWatch(
  db: Pick<Db, 'query'>,
  forSeconds: number,
): Promise<UnreadWatch | undefined> {
  const [row] = await db.query<UnreadWatch>(sql`
    update chain_watches set due_at = now() + make_interval(secs => ${forSeconds})
    where address = (
      select address from chain_watches where not caught_up and due_at <= now()
      order by due_at, address limit 1 for update skip locked)
    returning address, from_block as "fromBlock", ${readTo} as "readTo",
      range_blocks as "rangeBlocks", failures`)
  return row
}

/** Still of the history that was read before. */
const isUnchanged = ({ address, fromBlock, readTo: before }: UnreadWatch) => sql`
  address = ${address} and not caught_up and from_block = ${fromBlock} and ${readTo} = ${before}`

export async function findWatchIsUnchanged(tx: Tx, watch: UnreadWatch): Promise<boolean> {
  const [row] = await tx.query<{ exists: boolean }>(sql`
    select exists (select from chain_watches where ${isUnchanged(watch)}) as exists`)
  return row?.exists ?? false
}

/** Its history may be read again at once. */
export async function releaseWatch(db: Pick<Db, 'query'>, watch: UnreadWatch): Promise<void> {
  await db.query(sql`update chain_watches set due_at = now() where ${isUnchanged(watch)}`)
}

export async function postponeWatch(
  db: Pick<Db, 'query'>,
  watch: UnreadWatch,
  { retryInSeconds, rangeBlocks }: { retryInSeconds: number; rangeBlocks: number },
): Promise<void> {
  await db.query(sql`
    update chain_watches set failures = failures + 1, range_blocks = ${rangeBlocks},
      due_at = now() + make_interval(secs => ${retryInSeconds})
    where ${isUnchanged(watch)} and failures = ${watch.failures}`)
}

/** The logs up to that block are stored. Other vaults come first now. */
export function saveHistory(
  tx: Tx,
  saved: { address: string; readTo: number; rangeBlocks: number },
): void {
  tx.write(sql`
    update chain_watches set read_to = ${saved.readTo}, range_blocks = ${saved.rangeBlocks},
      failures = 0, due_at = now()
    where address = ${saved.address}`)
}

/** All its logs up to the position are stored, and `balance` is what it holds there. */
export function openWatch(
  tx: Tx,
  { address, balance }: { address: string; balance: bigint },
): void {
  tx.write(sql`
    update chain_watches set caught_up = true, failures = 0, opening_balance = ${balance} - (
      select coalesce(sum(case l.name when 'TokenReceived' then (l.args ->> 'amount')::numeric
                                      else -(l.args ->> 'amount')::numeric end), 0)
      from chain_logs l
      where l.vault_address = ${address} and l.name in ('TokenReceived', 'TokenSent'))
    where address = ${address}`)
}

/**
 * After a rollback, histories go on from there. If it goes to before a vault's deployment, its
 * opening balance must be read again as well, and the vault may be redeployed in any later block:
 * returns the addresses of these.
 */
export async function rewindWatches(tx: Tx, toBlock: number): Promise<string[]> {
  tx.write(sql`update chain_watches set read_to = ${toBlock} where read_to > ${toBlock}`)
  const rows = await tx.query<{ address: string }>(sql`
    update chain_watches
    set from_block = ${toBlock + 1}, read_to = null, caught_up = false, opening_balance = 0,
      failures = 0, due_at = now()
    where from_block > ${toBlock + 1} returning address`)
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
