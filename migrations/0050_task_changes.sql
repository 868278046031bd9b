-- Which transactions changed something that tasks are derived from. A process keeps the last
-- snapshot of a member and answers with it again, unless a transaction that the snapshot has not
-- seen is in here. Rows are only added, so that noting a change waits for nobody.
create table task_changes (
  organization_id uuid not null,
  transaction_id xid8 not null default pg_current_xact_id(),
  noted_at timestamptz not null default clock_timestamp(),
  primary key (organization_id, transaction_id)
);
create index task_changes_age on task_changes (noted_at);

alter table task_changes enable row level security;
alter table task_changes force row level security;
create policy tenant on task_changes for select to countersign_app
  using (organization_id = scope_organization());
create policy noting on task_changes to current_user using (true) with check (true);

-- Of tables without organizations: such a change may concern all of them.
create table shared_task_changes (
  transaction_id xid8 primary key default pg_current_xact_id(),
  noted_at timestamptz not null default clock_timestamp()
);
create index shared_task_changes_age on shared_task_changes (noted_at);
grant select on task_changes, shared_task_changes to countersign_app;

-- Only these functions write the tables.
create function note_task_change() returns trigger
language plpgsql security definer set search_path = countersign, pg_temp
as $$
begin
  insert into task_changes (organization_id)
    values (coalesce(new.organization_id, old.organization_id)) on conflict do nothing;
  return null;
end
$$;

create function note_shared_task_change() returns trigger
language plpgsql security definer set search_path = countersign, pg_temp
as $$
begin
  insert into shared_task_changes default values on conflict do nothing;
  return null;
end
$$;

-- Far longer than a process keeps a snapshot.
create function prune_task_changes() returns void
language plpgsql security definer set search_path = countersign, pg_temp
as $$
begin
  delete from task_changes where noted_at < now() - interval '1 hour';
  delete from shared_task_changes where noted_at < now() - interval '1 hour';
end
$$;
revoke all on function note_task_change, note_shared_task_change, prune_task_changes from public;
grant execute on function prune_task_changes to countersign_app;

-- A revision is written with its expense, so its table needs no trigger of its own.
do $$
declare
  name text;
begin
  foreach name in array array['expenses', 'recipients', 'payments',
    'approvals', 'wallet_roles', 'agent_runs', 'memberships', 'support_cases',
    'unrecorded_payments', 'vaults', 'vault_payments', 'policies', 'vault_unsent_totals',
    'vault_unsent_changes']
  loop
    execute format('create trigger note_task_change after insert or update or delete on %I
      for each row execute function note_task_change()', name);
  end loop;
end
$$;

-- Leases and balances of executors and wallets change often, and no task depends on them.
create trigger note_task_change after insert or delete or update of state, address
  on executor_bindings for each row execute function note_task_change();
create trigger note_task_change after insert or update or delete on wallet_links
  for each row execute function note_shared_task_change();
create trigger note_task_change after delete or update of address, kind on wallets
  for each row execute function note_shared_task_change();
create trigger note_task_change after delete or update of status on accounts
  for each row execute function note_shared_task_change();
