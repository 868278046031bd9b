-- Webhooks: live events of an organization, sent to URLs that its owners chose.

create table webhooks (
  id uuid not null,
  organization_id uuid not null references organizations (id),
  -- May contain a credential of the receiver: it is neither logged nor audited.
  url text not null check (char_length(url) between 1 and 1024),
  kinds text[] not null check (cardinality(kinds) between 1 and 20),
  state text not null check (state in ('active', 'disabled')),
  disabled_code text check (disabled_code in ('gone', 'failing')),
  created_by_account_id uuid not null references accounts (id),
  -- Null unless every attempt since then has failed.
  failing_since timestamptz,
  -- An endpoint that did not answer at all is left alone until then.
  paused_until timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (organization_id, id),
  check ((disabled_code is null) = (state = 'active'))
);

-- Signing secrets, sealed to a public key whose private key only workers have.
create table webhook_secrets (
  id uuid not null,
  organization_id uuid not null references organizations (id),
  webhook_id uuid not null,
  sealed bytea not null,
  created_at timestamptz not null,
  -- Null for the current secret; the previous one signs too until then.
  expires_at timestamptz,
  primary key (organization_id, id),
  foreign key (organization_id, webhook_id) references webhooks (organization_id, id)
    on delete cascade
);
create unique index webhook_secrets_current on webhook_secrets (organization_id, webhook_id)
  where expires_at is null;

create table webhook_deliveries (
  id uuid not null,
  organization_id uuid not null references organizations (id),
  webhook_id uuid not null,
  -- No foreign key: live events are deleted after seven days.
  event_id uuid not null,
  kind text not null,
  state text not null check (state in ('pending', 'delivered', 'failed')),
  -- Attempts made so far.
  attempt integer not null default 0 check (attempt >= 0),
  status_code integer,
  error text check (char_length(error) <= 200),
  created_at timestamptz not null,
  attempted_at timestamptz,
  next_attempt_at timestamptz,
  primary key (organization_id, id),
  constraint webhook_deliveries_event unique (organization_id, webhook_id, event_id),
  check (next_attempt_at is null or state = 'pending'),
  foreign key (organization_id, webhook_id) references webhooks (organization_id, id)
    on delete cascade
);
create index webhook_deliveries_newest on webhook_deliveries (organization_id, webhook_id, id);

do $$
declare
  name text;
begin
  foreach name in array array['webhooks', 'webhook_secrets', 'webhook_deliveries'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy tenant on %I to countersign_app
      using (organization_id = scope_organization())
      with check (organization_id = scope_organization())', name);
  end loop;
end
$$;
-- `npm run keys -- rotate` seals them again.
create policy maintenance on webhook_secrets to current_user using (true);

grant select, insert, delete on webhooks to countersign_app;
grant update (state, disabled_code, failing_since, paused_until, updated_at) on webhooks
  to countersign_app;

-- An API login writes secrets and cannot read any back.
grant insert, delete, update (expires_at),
  select (id, organization_id, webhook_id, created_at, expires_at)
  on webhook_secrets to countersign_app;
grant select on webhook_secrets to countersign_worker;

grant select on webhook_deliveries to countersign_app;
grant insert, delete,
  update (state, attempt, status_code, error, attempted_at, next_attempt_at)
  on webhook_deliveries to countersign_worker;

-- The follower of the journal finds the webhooks of an event across tenants.
create policy observation on webhooks for select to countersign_observer using (true);
grant select (id, organization_id, kinds, state, created_at) on webhooks to countersign_observer;

-- One row. Everything up to it was read, and its deliveries are queued.
create table webhook_position (
  is_only boolean primary key default true check (is_only),
  transaction_id xid8 not null,
  seq bigint not null,
  moved_at timestamptz not null
);
grant select on webhook_position to countersign_app, countersign_observer;
grant insert, update on webhook_position to countersign_worker;

-- Public keys that secrets are sealed to. Only workers publish one: whoever could replace it could
-- read every secret that is made afterwards.
create table webhook_sealing_keys (
  key_id text primary key,
  public_key bytea not null check (length(public_key) = 65),
  first_used_at timestamptz not null default now()
);
grant select on webhook_sealing_keys to countersign_app;
grant insert (key_id, public_key) on webhook_sealing_keys to countersign_worker;
