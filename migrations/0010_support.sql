-- Support cases, opened by members and worked on by operators.

create table support_cases (
  id uuid not null,
  organization_id uuid not null references organizations (id),
  opened_by_account_id uuid not null references accounts (id),
  expense_id uuid,
  payment_id uuid,
  subject text not null check (char_length(subject) between 1 and 200),
  priority integer not null check (priority in (1, 2, 3)),
  state text not null check (state in ('open', 'investigating', 'resolved', 'reopened')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (organization_id, id),
  foreign key (organization_id, expense_id) references expenses (organization_id, id),
  foreign key (organization_id, payment_id) references payments (organization_id, id)
);

create table support_notes (
  id uuid not null,
  organization_id uuid not null references organizations (id),
  support_case_id uuid not null,
  author_account_id uuid not null references accounts (id),
  body text not null check (char_length(body) between 1 and 4000),
  state_after text check (state_after in ('open', 'investigating', 'resolved', 'reopened')),
  created_at timestamptz not null,
  primary key (organization_id, id),
  foreign key (organization_id, support_case_id) references support_cases (organization_id, id)
);
create index support_notes_case on support_notes (organization_id, support_case_id, id);

do $$
declare
  name text;
begin
  foreach name in array array['support_cases', 'support_notes'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy tenant on %I to countersign_app
      using (organization_id = scope_organization())
      with check (organization_id = scope_organization())', name);
    execute format('create policy observation on %I for select to countersign_observer
      using (true)', name);
  end loop;
end
$$;

grant select, insert on support_cases, support_notes to countersign_app;
grant update (state, updated_at) on support_cases to countersign_app;
grant select on support_cases, support_notes to countersign_observer;
