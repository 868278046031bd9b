-- Several processes may find at the same moment that the order of live events has to begin anew.
-- Each had looked at the events when it waited for the state, and the one that had the state waited
-- for the events to be free: a deadlock, after which a process did not start. Now they come one
-- after the other, and the events come before the state, as they do for whoever drops old ones.
create or replace function settle_live_epoch() returns boolean
language plpgsql security definer set search_path = countersign, pg_temp
as $$
declare
  state live_state;
  is_ahead boolean;
begin
  perform pg_advisory_xact_lock(4017551330);
  select * into state from live_state;
  select exists (select from live_events
      where transaction_id >= pg_snapshot_xmax(pg_current_snapshot()))
    or state.horizon_transaction_id >= pg_snapshot_xmax(pg_current_snapshot()) into is_ahead;
  if state.history = live_history() and not is_ahead then
    return false;
  end if;
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
