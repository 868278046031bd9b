-- Sessions of the web applications. A gateway keeps the tokens of the signed-in person here, so
-- that no page ever holds one. It has a role of its own, which reaches this table and nothing else.

do $$
begin
  if not exists (select from pg_roles where rolname = 'countersign_web') then
    create role countersign_web nologin nosuperuser nobypassrls nocreatedb nocreaterole;
  end if;
exception
  -- Roles belong to the whole cluster: another database's migration may have just created it.
  when duplicate_object or unique_violation then null;
end
$$;

do $$
begin
  if not pg_has_role(current_user, 'countersign_web', 'usage') then
    execute format('grant countersign_web to %I', current_user);
  end if;
exception
  -- Two databases of one cluster may be migrated at once; the other one's grant is as good.
  when internal_error then
    if not pg_has_role(current_user, 'countersign_web', 'usage') then raise; end if;
end
$$;

grant usage on schema countersign to countersign_web;

-- No foreign key to accounts: the gateway's role cannot see them, and a session of an account that
-- no longer exists is refused by the API.
create table web_sessions (
  -- SHA-256 of the cookie's value, which is stored nowhere.
  id_hash bytea primary key check (length(id_hash) = 32),
  realm text not null check (realm in ('consumer', 'admin')),
  account_id uuid not null,
  subject text not null check (char_length(subject) between 1 and 255),
  -- AES-256-GCM under a key derived from WEB_SECRET.
  sealed_tokens bytea not null,
  -- Null if the provider did not say. Then the API decides.
  access_expires_at timestamptz,
  -- The ID token of a fresh sign-in, until the export that it is for has used it.
  step_up_request_id uuid,
  sealed_step_up bytea,
  step_up_expires_at timestamptz,
  created_at timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at timestamptz not null,
  check ((step_up_request_id is null) = (sealed_step_up is null)
    and (step_up_request_id is null) = (step_up_expires_at is null))
);
create index web_sessions_account on web_sessions (realm, account_id);
create index web_sessions_expiry on web_sessions (expires_at);

grant select, insert, delete on web_sessions to countersign_web;
grant update (sealed_tokens, access_expires_at, step_up_request_id, sealed_step_up,
  step_up_expires_at, last_seen_at) on web_sessions to countersign_web;
