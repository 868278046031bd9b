-- Reviews as rows, the moment of a signature, and the indexes behind the filters of lists, the
-- search, the exports and the spending report.

create table expense_reviews (
  id uuid primary key,
  organization_id uuid not null references organizations (id),
  expense_id uuid not null,
  revision integer not null,
  account_id uuid not null references accounts (id),
  action text not null check (action in ('request_revision', 'reject', 'advance_to_approval')),
  reason text not null check (char_length(reason) between 1 and 1000),
  created_at timestamptz not null,
  unique (organization_id, id),
  foreign key (organization_id, expense_id, revision)
    references expense_revisions (organization_id, expense_id, revision)
);
create index expense_reviews_expense on expense_reviews (organization_id, expense_id, id);

-- Until now a reason was in the audit trail only. Events of earlier versions have the machine's
-- event as their name.
alter table audit_events no force row level security;
insert into expense_reviews (id, organization_id, expense_id, revision, account_id, action, reason,
  created_at)
select id, organization_id, aggregate_id::uuid, (data ->> 'revision')::integer, actor_account_id,
  case
    when action in ('expense.revision_requested', 'expense.request_revision')
      then 'request_revision'
    when action in ('expense.rejected', 'expense.reject') then 'reject'
    else 'advance_to_approval'
  end,
  data ->> 'reason', occurred_at
from audit_events
where aggregate_type = 'expense' and actor_account_id is not null
  and char_length(data ->> 'reason') between 1 and 1000
  and action in ('expense.revision_requested', 'expense.request_revision', 'expense.rejected',
    'expense.reject', 'expense.advanced', 'expense.advance');

alter table approvals
  add column signed_at timestamptz,
  add constraint signed_at_has_signature check (signed_at is null or signature is not null);
alter table approvals no force row level security;
update approvals a set signed_at = e.occurred_at
from audit_events e
where e.organization_id = a.organization_id and e.aggregate_type = 'approval'
  and e.aggregate_id = a.id::text and e.action in ('approval.signed', 'approval.sign')
  and a.signature is not null;
alter table approvals force row level security;
alter table audit_events force row level security;
grant update (signed_at) on approvals to countersign_app;
grant select (signed_at) on approvals to countersign_observer;

alter table expense_reviews enable row level security;
alter table expense_reviews force row level security;
create policy tenant on expense_reviews to countersign_app
  using (organization_id = scope_organization())
  with check (organization_id = scope_organization());
create policy observation on expense_reviews for select to countersign_observer using (true);
grant select, insert on expense_reviews to countersign_app;
grant select on expense_reviews to countersign_observer;

-- Filters. Each index ends with the expense, so that a page is read in the order of the list.
create index expenses_state on expenses (organization_id, state, id);
create index expenses_created on expenses (organization_id, created_at, id);
create index expense_revisions_payee
  on expense_revisions (organization_id, recipient_id, expense_id);
drop index expense_revisions_vault;
create index expense_revisions_vault on expense_revisions (organization_id, vault_id, expense_id);
create index expense_revisions_category
  on expense_revisions (organization_id, category, expense_id) where category is not null;
-- Sorts like the amount. Row-level security keeps PostgreSQL from using an index with operators
-- that are not leakproof, and those of numeric are not; those of text are. The service writes it: a
-- generated column is compiled again for every statement.
alter table expense_revisions add column amount_key text collate "C";
alter table expense_revisions no force row level security;
update expense_revisions set amount_key = lpad(amount::text, 39, '0');
alter table expense_revisions force row level security;
create index expense_revisions_size
  on expense_revisions (organization_id, amount_key, expense_id);
-- History is compared by submitted revisions only, so a draft needs no entry in these.
drop index expense_revisions_recipient;
create index expense_revisions_recipient
  on expense_revisions (organization_id, recipient_address, submitted_at desc)
  where submitted_at is not null;
drop index expense_revisions_amount;
create index expense_revisions_amount
  on expense_revisions (organization_id, recipient_address, amount, submitted_at desc)
  where submitted_at is not null;
drop index expense_revisions_author;
create index expense_revisions_author
  on expense_revisions (organization_id, author_account_id, submitted_at desc)
  where submitted_at is not null;
drop index expense_revisions_purpose;
create index expense_revisions_purpose
  on expense_revisions (organization_id, purpose_key, submitted_at desc)
  where submitted_at is not null;
create index payments_state on payments (organization_id, state, id);
create index payments_created on payments (organization_id, created_at, id);

-- The words of a text, folded and separated by single spaces: letters and digits of any script,
-- each ideogram, kana or hangul syllable a word of its own, because these scripts do not separate
-- words. ASCII needs a third of the work. Not strict, so that PostgreSQL can inline it.
create function search_words(content text) returns text
language sql immutable parallel safe
begin atomic
  select case when octet_length(content) = char_length(content)
    then regexp_replace(lower(content collate "C"), '[^a-z0-9]+', ' ', 'g')
    else regexp_replace(regexp_replace(
        lower(case when content is nfkc normalized then content else normalize(content, nfkc) end),
        '([\u2e80-\u2fdf\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff])', ' \1 ', 'g'),
      '[^[:alnum:]]+', ' ', 'g') end;
end;

-- What the search finds a revision by.
create function revision_words(purpose text, reference text, recipient_label text) returns text
language sql immutable parallel safe
begin atomic
  select search_words(purpose || ' ' || coalesce(reference, '') || ' ' || recipient_label);
end;

-- The index of the search. A table and not a text index (tsvector, trigrams), because the operators
-- of those are not leakproof either. Without foreign keys, which would be checked once for each
-- word: only workers write it, from the rows of revisions. A word ends after 60 characters, because
-- the size of an index entry is limited.
create table expense_words (
  organization_id uuid not null,
  word text collate "C" not null check (char_length(word) between 1 and 60),
  expense_id uuid not null,
  revision integer not null,
  primary key (organization_id, word, expense_id, revision)
);

alter table expense_revisions no force row level security;
insert into expense_words (organization_id, word, expense_id, revision)
select distinct r.organization_id, left(w.word, 60), r.expense_id, r.revision
from expense_revisions r,
  string_to_table(revision_words(r.purpose, r.reference, r.recipient_label), ' ') w (word)
where w.word <> '';
alter table expense_revisions force row level security;

alter table expense_words enable row level security;
alter table expense_words force row level security;
create policy tenant on expense_words to countersign_app
  using (organization_id = scope_organization())
  with check (organization_id = scope_organization());
create policy observation on expense_words for select to countersign_observer using (true);
grant select on expense_words to countersign_app, countersign_observer;
grant insert on expense_words to countersign_worker;

-- One row: the words of every revision up to this live event are indexed. It says nothing in
-- another epoch, where transactions are numbered anew.
create table expense_words_position (
  is_only boolean primary key default true check (is_only),
  epoch uuid not null,
  transaction_id xid8 not null,
  seq bigint not null
);
grant select on expense_words_position to countersign_app;
grant update (epoch, transaction_id, seq) on expense_words_position to countersign_worker;
alter table live_events no force row level security;
insert into expense_words_position (epoch, transaction_id, seq)
select s.epoch, p.transaction_id, p.seq
from live_state s cross join lateral (
  (select e.transaction_id, e.seq from live_events e order by e.transaction_id desc, e.seq desc
    limit 1)
  union all select s.horizon_transaction_id, s.horizon_seq
  order by 1 desc, 2 desc limit 1) p;
alter table live_events force row level security;
