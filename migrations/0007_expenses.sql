-- Expenses with their revisions and comments, the runs that analyse them, and the reports.

create table expenses (
  id uuid not null,
  organization_id uuid not null references organizations (id),
  submitter_account_id uuid not null references accounts (id),
  -- Fixed at birth: the payment of this expense will have this id, and there is only one.
  payment_id uuid not null unique,
  current_revision integer not null check (current_revision > 0),
  state text not null check (state in ('draft', 'analysis_queued', 'analyzing', 'needs_review',
    'revision_requested', 'awaiting_approval', 'approved_ready_for_payment',
    'automatic_ready_for_payment', 'executing', 'reconciling', 'paid', 'rejected', 'cancelled',
    'blocked')),
  -- Why it is blocked; null in every other state.
  block_code text check ((block_code is not null) = (state = 'blocked')),
  current_report_id uuid,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- No index on the id alone: a list by it would read past other tenants' newer expenses.
  primary key (organization_id, id)
);
create index expenses_submitter on expenses (organization_id, submitter_account_id, id);

-- A revision is never changed, but for the moment of its submission. The recipient's address is
-- copied, not looked up later.
create table expense_revisions (
  organization_id uuid not null references organizations (id),
  expense_id uuid not null,
  revision integer not null check (revision > 0),
  vault_id uuid not null,
  recipient_id uuid not null,
  recipient_label text not null,
  recipient_address text not null check (recipient_address ~ '^0x[0-9a-f]{40}$'),
  amount numeric(78, 0) not null check (amount > 0),
  requested_mode text not null check (requested_mode in ('approved', 'automatic')),
  purpose text not null check (char_length(purpose) between 1 and 2000),
  -- Equal for purposes that differ only in case and spaces.
  purpose_key bytea not null,
  reason text check (char_length(reason) between 1 and 1000),
  version_hash text not null check (version_hash ~ '^0x[0-9a-f]{64}$'),
  author_account_id uuid not null references accounts (id),
  created_at timestamptz not null,
  -- What history counts by: a draft may lie for weeks before it is sent in.
  submitted_at timestamptz,
  primary key (organization_id, expense_id, revision),
  foreign key (organization_id, expense_id) references expenses (organization_id, id),
  foreign key (organization_id, vault_id) references vaults (organization_id, id),
  foreign key (organization_id, recipient_id) references recipients (organization_id, id)
);
create index expense_revisions_recipient
  on expense_revisions (organization_id, recipient_address, submitted_at desc);
create index expense_revisions_amount
  on expense_revisions (organization_id, recipient_address, amount, submitted_at desc);
create index expense_revisions_author
  on expense_revisions (organization_id, author_account_id, submitted_at desc);
create index expense_revisions_purpose
  on expense_revisions (organization_id, purpose_key, submitted_at desc);
create index expense_revisions_vault on expense_revisions (organization_id, vault_id);

create table expense_comments (
  id uuid primary key,
  organization_id uuid not null references organizations (id),
  expense_id uuid not null,
  author_account_id uuid not null references accounts (id),
  body text not null check (char_length(body) between 1 and 4000),
  created_at timestamptz not null,
  unique (organization_id, id),
  foreign key (organization_id, expense_id) references expenses (organization_id, id)
);
create index expense_comments_expense on expense_comments (organization_id, expense_id, id);

create table agent_runs (
  id uuid primary key,
  organization_id uuid not null references organizations (id),
  expense_id uuid not null,
  expense_revision integer not null,
  state text not null check (state in ('queued', 'running', 'succeeded', 'failed')),
  attempts integer not null default 0,
  -- Grows with every taking: what an earlier taker still writes changes nothing.
  lease_epoch integer not null default 0,
  lease_until timestamptz,
  failure_code text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (organization_id, id),
  foreign key (organization_id, expense_id, expense_revision)
    references expense_revisions (organization_id, expense_id, revision)
);
create unique index agent_runs_one on agent_runs (organization_id, expense_id)
  where state in ('queued', 'running');
create index agent_runs_expense on agent_runs (organization_id, expense_id, id);

create table reports (
  id uuid primary key,
  organization_id uuid not null references organizations (id),
  expense_id uuid not null,
  expense_revision integer not null,
  run_id uuid not null,
  version integer not null check (version > 0),
  report_hash text not null check (report_hash ~ '^0x[0-9a-f]{64}$'),
  output jsonb not null,
  created_at timestamptz not null,
  unique (organization_id, id),
  -- One report for each run, whatever is retried.
  unique (organization_id, run_id),
  unique (organization_id, expense_id, version),
  foreign key (organization_id, run_id) references agent_runs (organization_id, id),
  foreign key (organization_id, expense_id, expense_revision)
    references expense_revisions (organization_id, expense_id, revision)
);
alter table expenses add foreign key (organization_id, current_report_id)
  references reports (organization_id, id);

do $$
declare
  name text;
begin
  foreach name in array array['expenses', 'expense_revisions', 'expense_comments', 'agent_runs',
                              'reports'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy tenant on %I to countersign_app
      using (organization_id = scope_organization())
      with check (organization_id = scope_organization())', name);
  end loop;
end
$$;

grant select, insert on expenses, expense_revisions, expense_comments, agent_runs, reports
  to countersign_app;
grant update (current_revision, state, block_code, current_report_id, updated_at) on expenses
  to countersign_app;
grant update (submitted_at) on expense_revisions to countersign_app;
grant update (state, attempts, lease_epoch, lease_until, failure_code, updated_at) on agent_runs
  to countersign_app;

-- Look-alike addresses share their first and last four characters.
create index recipients_look_alike
  on recipients (organization_id, left(address, 6), right(address, 4)) where state = 'active';
