/**
 * Earlier times for some connections of a development database. Statements say `now()`, which
 * PostgreSQL looks up in the schemas of the connection's `search_path`. Connections whose path
 * begins with this schema find these functions; all others keep the time of the server. The trigger
 * of the audit trail has a path of its own, so `recorded_at` says when an event was really written.
 */
import sql from 'sql-template-tag'
import type { Db } from '#platform/database/database.ts'
import { SCHEMA, SEARCH_PATH } from '#platform/database/settings.ts'

/** `pg_catalog` comes after the functions that stand in for its own. */
const EARLIER_PATH = `earlier,pg_catalog,${SCHEMA}`

/** For connections that see the earlier time. */
export function earlierUrl(url: string): string {
  const changed = new URL(url)
  changed.searchParams.set(SEARCH_PATH, EARLIER_PATH)
  return changed.href
}

/** What is left of an interrupted attempt is replaced. */
export async function makeEarlier(db: Db, behindSeconds: number): Promise<void> {
  await removeEarlier(db)
  await db.query(sql`create schema earlier`)
  await db.query(sql`grant usage on schema earlier to public`)
  await db.query(sql`create table earlier.clock (behind interval not null)`)
  await db.query(sql`grant select on earlier.clock to public`)
  await db.query(sql`
    insert into earlier.clock
    values (make_interval(secs => ${behindSeconds}::double precision))`)
  await db.query(sql`
    create function earlier.now() returns timestamptz language sql stable
    as 'select pg_catalog.now() - (select behind from earlier.clock)'`)
  await db.query(sql`
    create function earlier.clock_timestamp() returns timestamptz language sql volatile
    as 'select pg_catalog.clock_timestamp() - (select behind from earlier.clock)'`)
  // Without a time, the queue would take the server's, and a worker of earlier would wait for it.
  await db.query(sql`
    create function earlier.enqueue_job(task text, payload json, queue_name text,
      run_at timestamptz, job_key text, max_attempts integer) returns bigint language sql
    as 'select countersign.enqueue_job(task, payload, queue_name,
      coalesce(run_at, earlier.now()), job_key, max_attempts)'`)
  await db.query(sql`
    create function earlier.enqueue_job_unless_due(task text, payload json, queue_name text,
      run_at timestamptz, job_key text, max_attempts integer) returns bigint language sql
    as 'select countersign.enqueue_job_unless_due(task, payload, queue_name,
      coalesce(run_at, earlier.now()), job_key, max_attempts)'`)
  await standIn(db)
  // A window that began in the server's time would not end for months.
  await db.query(sql`create table earlier.rate_leases (like countersign.rate_leases including all)`)
  await db.query(sql`grant select, insert, update, delete on earlier.rate_leases to public`)
}

/** A table's own defaults know the server's time only, so attempts are written through a view. */
async function standIn(db: Db): Promise<void> {
  await db.query(sql`
    create view earlier.payment_attempts with (security_invoker = true)
    as select * from countersign.payment_attempts`)
  await db.query(sql`
    alter view earlier.payment_attempts alter column created_at set default earlier.now()`)
  await db.query(sql`
    alter view earlier.payment_attempts alter column updated_at set default earlier.now()`)
  await db.query(sql`grant select, insert, update, delete on earlier.payment_attempts to public`)
}

export const moveEarlier = (db: Db, behindSeconds: number) =>
  db.query(sql`
    update earlier.clock set behind = make_interval(secs => ${behindSeconds}::double precision)`)

export const removeEarlier = (db: Db) => db.query(sql`drop schema if exists earlier cascade`)
