-- Organizations and everything a tenant has so far. Each child carries the organization's id in
-- its foreign keys, so that it cannot point into another tenant.

create table organizations (
  id uuid primary key,
  name text not null check (char_length(name) between 2 and 100),
  created_by_account_id uuid not null references accounts (id),
  created_at timestamptz not null
);

create table memberships (
  id uuid primary key,
  organization_id uuid not null references organizations (id),
  account_id uuid not null references accounts (id),
  role text not null check (role in ('owner', 'manager', 'employee')),
  state text not null check (state in ('active', 'revoked')),
  created_at timestamptz not null,
  revoked_at timestamptz,
  unique (organization_id, id),
  unique (organization_id, id, account_id)
);
-- A revoked member may come back by a new invitation, as a new membership.
create unique index memberships_active on memberships (organization_id, account_id)
  where state = 'active';
create index memberships_account on memberships (account_id);

create table wallet_roles (
  id uuid primary key,
  organization_id uuid not null references organizations (id),
  membership_id uuid not null,
  account_id uuid not null,
  wallet_id uuid not null,
  role text not null check (role in ('treasury_owner', 'approver')),
  state text not null check (state in ('active', 'revoked')),
  created_at timestamptz not null,
  revoked_at timestamptz,
  unique (organization_id, id),
  -- Together these say: the wallet is the member's own.
  foreign key (organization_id, membership_id, account_id)
    references memberships (organization_id, id, account_id),
  foreign key (account_id, wallet_id) references wallets (account_id, id)
);
create unique index wallet_roles_active on wallet_roles (organization_id, wallet_id, role)
  where state = 'active';
create index wallet_roles_membership on wallet_roles (organization_id, membership_id);

create table invitations (
  id uuid primary key,
  organization_id uuid not null references organizations (id),
  role text not null check (role in ('manager', 'employee')),
  state text not null check (state in ('open', 'accepted', 'revoked', 'expired')),
  token_salt bytea not null,
  token_hash bytea not null unique,
  invited_by_membership_id uuid not null,
  accepted_by_membership_id uuid,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  unique (organization_id, id),
  foreign key (organization_id, invited_by_membership_id)
    references memberships (organization_id, id),
  foreign key (organization_id, accepted_by_membership_id)
    references memberships (organization_id, id)
);
create index invitations_organization on invitations (organization_id, id);

create table recipients (
  id uuid primary key,
  organization_id uuid not null references organizations (id),
  label text not null check (char_length(label) between 1 and 100),
  address text not null check (address ~ '^0x[0-9a-f]{40}$'),
  chain_id bigint not null check (chain_id > 0),
  state text not null check (state in ('active', 'deactivated')),
  created_by_account_id uuid not null references accounts (id),
  created_at timestamptz not null,
  deactivated_at timestamptz,
  unique (organization_id, id)
);
create unique index recipients_active on recipients (organization_id, chain_id, address)
  where state = 'active';
create index recipients_organization on recipients (organization_id, id);

alter table organizations enable row level security;
alter table organizations force row level security;
alter table memberships enable row level security;
alter table memberships force row level security;
alter table wallet_roles enable row level security;
alter table wallet_roles force row level security;
alter table invitations enable row level security;
alter table invitations force row level security;
alter table recipients enable row level security;
alter table recipients force row level security;
alter table wallets enable row level security;
alter table wallets force row level security;

-- An account sees the organizations it belongs to; everything else needs the organization's scope.
create policy tenant on organizations to countersign_app
  using (
    id = scope_organization()
    or id in (select m.organization_id from memberships m where m.account_id = scope_account())
  )
  with check (id = scope_organization());
create policy tenant on memberships to countersign_app
  using (organization_id = scope_organization() or account_id = scope_account())
  with check (organization_id = scope_organization());
create policy tenant on wallet_roles to countersign_app
  using (organization_id = scope_organization())
  with check (organization_id = scope_organization());
-- Whoever holds the token may find the one invitation it opens.
create policy tenant on invitations to countersign_app
  using (
    organization_id = scope_organization() or encode(token_hash, 'hex') = scope_invitation()
  )
  with check (organization_id = scope_organization());
create policy tenant on recipients to countersign_app
  using (organization_id = scope_organization())
  with check (organization_id = scope_organization());
-- Members of one organization see each other's wallets, but of a member who left only those they
-- had until then; only the account itself brings new ones.
create policy account on wallets to countersign_app
  using (
    account_id = scope_account()
    or exists (
      select from memberships m
      where m.organization_id = scope_organization() and m.account_id = wallets.account_id
        and (m.revoked_at is null or wallets.created_at <= m.revoked_at)
    )
  )
  with check (account_id = scope_account());

grant select, insert on organizations to countersign_app;
grant select, insert, update (state, revoked_at) on memberships, wallet_roles to countersign_app;
grant select, insert, update (state, accepted_by_membership_id, ended_at) on invitations
  to countersign_app;
grant select, insert, update (state, deactivated_at) on recipients to countersign_app;
