-- When the order of live events starts anew, and how employees find what concerns them.

-- An employee reads their own events by `live_events_account` and these beside them.
create index live_events_services on live_events (organization_id, transaction_id, seq)
  where kind = 'service.changed';

-- Numbers of transactions mean something in one history of one cluster only.
alter table live_state add column history text;

create function live_history() returns text language sql
as $$
  select (select system_identifier from pg_control_system()) || '/'
    || left(pg_walfile_name(pg_current_wal_lsn()), 8)
$$;

-- Called by every process when it starts and whenever it had lost the database. In another
-- cluster, or after going back in time, cursors are void. Events of transactions that this cluster
-- has not had would be hidden for a long time, and then come out of order: they are dropped.
create function settle_live_epoch() returns boolean
language plpgsql security definer set search_path = countersign, pg_temp
as $$
declare
  state live_state;
  is_ahead boolean;
begin
  select * into state from live_state;
  select exists (select from live_events
      where transaction_id >= pg_snapshot_xmax(pg_current_snapshot()))
    or state.horizon_transaction_id >= pg_snapshot_xmax(pg_current_snapshot()) into is_ahead;
  if state.history = live_history() and not is_ahead then
    return false;
  end if;
  -- Everything again under the lock: another process may have settled it meanwhile.
  select * into state from live_state for update;
  select exists (select from live_events
      where transaction_id >= pg_snapshot_xmax(pg_current_snapshot()))
    or state.horizon_transaction_id >= pg_snapshot_xmax(pg_current_snapshot()) into is_ahead;
  if is_ahead then
    truncate live_events;
    update live_state set horizon_transaction_id = '0', horizon_seq = 0;
  end if;
  if is_ahead or state.history <> live_history() then
    update live_state set history = live_history(), epoch = gen_random_uuid();
    return true;
  end if;
  update live_state set history = live_history() where history is null;
  return false;
end
$$;
revoke all on function live_history, settle_live_epoch from public;
grant execute on function settle_live_epoch to countersign_app;
