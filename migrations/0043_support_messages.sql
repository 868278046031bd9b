-- Messages that members write in support cases, and notes that operators show to them.

create table support_messages (
  id uuid not null,
  organization_id uuid not null references organizations (id),
  support_case_id uuid not null,
  author_account_id uuid not null references accounts (id),
  body text not null check (char_length(body) between 1 and 4000),
  created_at timestamptz not null,
  primary key (organization_id, id),
  foreign key (organization_id, support_case_id) references support_cases (organization_id, id)
);
create index support_messages_case on support_messages (organization_id, support_case_id, id);

alter table support_messages enable row level security;
alter table support_messages force row level security;
create policy tenant on support_messages to countersign_app
  using (organization_id = scope_organization())
  with check (organization_id = scope_organization());
create policy observation on support_messages for select to countersign_observer using (true);
grant select, insert on support_messages to countersign_app;
grant select on support_messages to countersign_observer;

-- Earlier notes were written for operators only, and stay internal.
alter table support_notes add column is_visible_to_customer boolean not null default false;

-- A member's own cases, newest first.
create index support_cases_opener on support_cases (organization_id, opened_by_account_id, id);
