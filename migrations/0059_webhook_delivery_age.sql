-- Ended deliveries are deleted by their age alone, also those of webhooks that deliver nothing any
-- more. The owner's policy is for the function below.
create policy maintenance on webhook_deliveries to current_user using (true);
create index webhook_deliveries_ended on webhook_deliveries (coalesce(attempted_at, created_at))
  where state <> 'pending';

set local row_security = on;
create or replace function prune_expired(batch integer) returns bigint
language sql security definer set search_path = countersign, pg_temp
as $$
  with keys as (
    delete from idempotency_keys where ctid = any (array(
      select ctid from idempotency_keys where expires_at < now() limit batch)) returning 1
  ), events as (
    delete from live_events where ctid = any (array(
      select ctid from live_events where occurred_at < now() - interval '7 days' limit batch))
    returning transaction_id, seq
  ), horizon as (
    update live_state s set horizon_transaction_id = e.transaction_id, horizon_seq = e.seq
    from (select transaction_id, seq from events order by 1 desc, 2 desc limit 1) e
    where (e.transaction_id, e.seq) > (s.horizon_transaction_id, s.horizon_seq)
  ), deliveries as (
    delete from webhook_deliveries where ctid = any (array(
      select ctid from webhook_deliveries
      where state <> 'pending' and coalesce(attempted_at, created_at) < now() - interval '7 days'
      limit batch))
    returning 1
  )
  select (select count(*) from keys) + (select count(*) from events)
    + (select count(*) from deliveries)
$$;
