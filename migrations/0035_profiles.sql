-- Names and e-mail addresses of accounts. A tenant reads those of its own members, past and
-- present; a name never crosses tenants.

create table profiles (
  account_id uuid primary key references accounts (id),
  -- From the newest ID token.
  name text check (char_length(name) between 1 and 100),
  -- Only an address that the identity provider has verified; in lower case.
  email text check (char_length(email) between 3 and 254),
  -- What the person chose; it overrides the token's name.
  chosen_name text check (char_length(chosen_name) between 1 and 100),
  display_name text generated always as (coalesce(chosen_name, name)) stored,
  updated_at timestamptz not null
);

alter table profiles enable row level security;
alter table profiles force row level security;
create policy account on profiles to countersign_app
  using (
    account_id = scope_account()
    or exists (
      select from memberships m
      where m.organization_id = scope_organization() and m.account_id = profiles.account_id
    )
  )
  with check (account_id = scope_account());
create policy observation on profiles for select to countersign_observer using (true);

grant select, insert, update (name, email, chosen_name, updated_at) on profiles to countersign_app;
grant select (account_id, display_name) on profiles to countersign_observer;
