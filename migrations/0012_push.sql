-- Devices that are told of what concerns their account, and how far the journal was read for it.

create table push_subscriptions (
  id uuid primary key,
  account_id uuid not null references accounts (id),
  -- Whoever knows it can be told apart by it and written to: it is never shown, logged or audited.
  endpoint text not null check (char_length(endpoint) <= 1024),
  p256dh bytea not null check (length(p256dh) = 65),
  auth bytea not null check (length(auth) = 16),
  device_label text not null check (char_length(device_label) between 1 and 100),
  expires_at timestamptz,
  created_at timestamptz not null,
  renewed_at timestamptz not null,
  -- Null while it is active.
  deactivated_at timestamptz,
  constraint push_subscriptions_own unique (account_id, endpoint)
);
-- A browser has one endpoint, whoever signs in there: it belongs to who subscribed last.
create unique index push_subscriptions_active on push_subscriptions (endpoint)
  where deactivated_at is null;

alter table push_subscriptions enable row level security;
alter table push_subscriptions force row level security;
create policy own on push_subscriptions to countersign_app
  using (account_id = scope_account()) with check (account_id = scope_account());
create policy maintenance on push_subscriptions to current_user using (true);
create policy observation on push_subscriptions for select to countersign_observer using (true);
grant select, insert, delete on push_subscriptions to countersign_app;
grant update (p256dh, auth, device_label, expires_at, renewed_at, deactivated_at)
  on push_subscriptions to countersign_app;
grant select (id, account_id, expires_at, deactivated_at) on push_subscriptions
  to countersign_observer;

-- The one thing an account does to another's row: it has the browser now. Other rows stay unseen.
set local row_security = on;
create function release_push_endpoint(released text, at timestamptz)
returns table (id uuid, account_id uuid)
language sql security definer set search_path = countersign, pg_temp
as $$
  update push_subscriptions s set deactivated_at = at
  where s.endpoint = released and s.deactivated_at is null
    and s.account_id is distinct from scope_account()
  returning s.id, s.account_id
$$;
revoke all on function release_push_endpoint from public;
grant execute on function release_push_endpoint to countersign_app;

-- One row, from the first look on. Everything up to it was read, and its deliveries are queued.
create table push_position (
  is_only boolean primary key default true check (is_only),
  transaction_id xid8 not null,
  seq bigint not null,
  moved_at timestamptz not null
);
grant select, insert, update (transaction_id, seq, moved_at) on push_position to countersign_app;
grant select on push_position to countersign_observer;
