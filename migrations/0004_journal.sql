-- The audit trail (insert-only, hash-chained per organization) and the live events.

create table audit_events (
  id uuid primary key,
  -- Null for what belongs to no organization: sessions, operators.
  organization_id uuid references organizations (id),
  seq bigint not null,
  action text not null,
  actor_realm text not null check (actor_realm in ('consumer', 'admin', 'system')),
  actor_account_id uuid references accounts (id),
  aggregate_type text not null,
  aggregate_id text not null,
  data jsonb not null,
  request_id text,
  occurred_at timestamptz not null,
  digest bytea not null check (length(digest) = 32),
  hash bytea not null check (length(hash) = 32),
  unique nulls not distinct (organization_id, seq)
);

-- The end of each chain. Only the trigger below may touch it.
create table audit_heads (
  organization_id uuid unique nulls not distinct references organizations (id),
  seq bigint not null,
  hash bytea not null
);

-- hash(n) = sha256(hash(n-1) || digest(n)), beginning from 32 zero bytes. The head's row lock puts
-- the events of one organization in one order, which is the order of their commits.
create function chain_audit_event() returns trigger
language plpgsql security definer set search_path = countersign, pg_temp
as $$
declare
  head audit_heads;
begin
  insert into audit_heads (organization_id, seq, hash)
    values (new.organization_id, 0, decode(repeat('00', 32), 'hex'))
    on conflict do nothing;
  select * into head from audit_heads
    where organization_id is not distinct from new.organization_id for update;
  new.seq := head.seq + 1;
  new.hash := sha256(head.hash || new.digest);
  update audit_heads set seq = new.seq, hash = new.hash
    where organization_id is not distinct from new.organization_id;
  return new;
end
$$;
revoke all on function chain_audit_event from public;
create trigger chain before insert on audit_events
  for each row execute function chain_audit_event();

create table live_events (
  id uuid primary key,
  -- Readers go no further than the oldest transaction still running, so a late commit with an
  -- early number is never passed over.
  transaction_id xid8 not null default pg_current_xact_id(),
  seq bigint generated always as identity,
  organization_id uuid references organizations (id),
  audience text not null check (audience in ('consumer', 'admin', 'both')),
  kind text not null,
  aggregate_type text not null,
  aggregate_id text not null,
  target_state text check (char_length(target_state) <= 80),
  severity text not null check (severity in ('healthy', 'degraded', 'action_required')),
  code text check (char_length(code) <= 100),
  occurred_at timestamptz not null
);
create index live_events_organization on live_events (organization_id, transaction_id, seq);
create index live_events_order on live_events (transaction_id, seq);
create index live_events_age on live_events (occurred_at);

alter table audit_events enable row level security;
alter table audit_events force row level security;
alter table audit_heads enable row level security;
alter table audit_heads force row level security;
alter table live_events enable row level security;
alter table live_events force row level security;

-- What belongs to no organization is written without a scope, and read by nobody so far.
create policy tenant on audit_events for select to countersign_app
  using (organization_id = scope_organization());
create policy appending on audit_events for insert to countersign_app
  with check (organization_id is not distinct from scope_organization());
create policy tenant on live_events for select to countersign_app
  using (organization_id = scope_organization());
create policy appending on live_events for insert to countersign_app
  with check (organization_id is not distinct from scope_organization());

-- The owner verifies every chain from the command line, and prunes.
create policy verification on audit_events for select to current_user using (true);
create policy administration on audit_events for insert to current_user
  with check (organization_id is null);
create policy verification on organizations for select to current_user using (true);
create policy chaining on audit_heads to current_user using (true) with check (true);
create policy maintenance on live_events to current_user using (true);

grant select, insert on audit_events, live_events to countersign_app;

-- A batch at a time, so that a long backlog is no long statement. The body is checked when it is
-- made, and the owner's policies above are meant to apply to it.
set local row_security = on;
create function prune_expired(batch integer) returns bigint
language sql security definer set search_path = countersign, pg_temp
as $$
  with keys as (
    delete from idempotency_keys where ctid = any (array(
      select ctid from idempotency_keys where expires_at < now() limit batch)) returning 1
  ), events as (
    delete from live_events where ctid = any (array(
      select ctid from live_events where occurred_at < now() - interval '7 days' limit batch))
    returning 1
  )
  select (select count(*) from keys) + (select count(*) from events)
$$;
revoke all on function prune_expired from public;
grant execute on function prune_expired to countersign_app;
