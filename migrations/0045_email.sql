-- E-mail beside push: what accounts want to be notified of, how far the journal was read for
-- e-mail, and which messages were handed to the mail server.

-- A missing row means on.
create table notification_preferences (
  account_id uuid not null references accounts (id),
  category text not null check (category ~ '^[a-z_]+$' and char_length(category) <= 60),
  channel text not null check (channel in ('push', 'email')),
  is_on boolean not null,
  updated_at timestamptz not null,
  primary key (account_id, category, channel)
);

alter table notification_preferences enable row level security;
alter table notification_preferences force row level security;
create policy account on notification_preferences to countersign_app
  using (account_id = scope_account()) with check (account_id = scope_account());
grant select, insert, update (is_on, updated_at) on notification_preferences to countersign_app;

-- One row, like push_position: everything up to it was read, and its deliveries are queued.
create table email_position (
  is_only boolean primary key default true check (is_only),
  transaction_id xid8 not null,
  seq bigint not null,
  moved_at timestamptz not null
);
grant select, insert, update (transaction_id, seq, moved_at) on email_position
  to countersign_worker;

-- One row per message, written before it is sent. The id is derived from the event and the account,
-- or from the invitation, and is also the Message-ID. It contains no personal data.
create table email_deliveries (
  id text primary key check (id ~ '^[0-9a-f]+$' and length(id) = 40),
  kind text not null check (kind in ('notification', 'invitation')),
  created_at timestamptz not null,
  -- Null while it may still be sent.
  outcome text check (outcome in ('accepted', 'rejected', 'given_up')),
  ended_at timestamptz,
  check ((outcome is null) = (ended_at is null))
);
create index email_deliveries_created on email_deliveries (created_at);
grant select, insert, update (outcome, ended_at), delete on email_deliveries
  to countersign_worker;
