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

alter table expense_reviews enable row level security;
alter table expense_reviews force row level security;
create policy tenant on expense_reviews to countersign_app
  using (organization_id = scope_organization())
  with check (organization_id = scope_organization());
grant select, insert on expense_reviews to countersign_app;

-- Filters. Each index ends with the expense, so that a page is read in the order of the list.
create index expenses_state on expenses (organization_id, state, id);
create index expenses_created on expenses (organization_id, created_at, id);
create index expense_revisions_payee on expense_revisions (organization_id, recipient_id, expense_id);
drop index expense_revisions_vault;
create index expense_revisions_vault on expense_revisions (organization_id, vault_id, expense_id);
create index expense_revisions_category
  on expense_revisions (organization_id, category, expense_id) where category is not null;
create index expense_revisions_size on expense_revisions (organization_id, amount, expense_id);
create index payments_state on payments (organization_id, state, id);
create index payments_created on payments (organization_id, created_at, id);

-- The words of a text, folded: letters and digits of any script, each ideogram, kana or hangul
-- syllable a word of its own, because these scripts do not separate words.
create function search_words(content text) returns text[]
language sql immutable strict parallel safe
begin atomic
  select coalesce(array_agg(distinct left(word, 60)), '{}')
  from regexp_split_to_table(
    regexp_replace(lower(normalize(content, nfkc)),
      '([\u2e80-\u2fdf\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff])', ' \1 ', 'g'),
    '[^[:alnum:]]+') as word
  where word <> '';
end;

-- Each word carries the organization: a search reads the index entries of one tenant only.
create function expense_search(
  organization_id uuid, purpose text, reference text, recipient_label text
) returns tsvector
language sql immutable parallel safe
begin atomic
  select array_to_tsvector(array(
    select organization_id::text || ':' || word
    from unnest(search_words(
      purpose || ' ' || coalesce(reference, '') || ' ' || recipient_label)) as word));
end;

-- Every word of the term must begin a word of the text. Null without a word. A word has only
-- letters and digits, so it needs no escaping.
create function expense_search_query(organization_id uuid, term text) returns tsquery
language sql immutable parallel safe
begin atomic
  select string_agg('''' || organization_id::text || ':' || word || ''':*', ' & ')::tsquery
  from unnest(search_words(term)) as word;
end;

-- Without a list of pending entries, which a search would have to read.
create index expense_revisions_search on expense_revisions
  using gin (expense_search(organization_id, purpose, reference, recipient_label))
  with (fastupdate = off);
