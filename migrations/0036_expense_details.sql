-- What accounting needs of an expense: a category of the organization's own list, the invoice
-- number, and the day on which it is due.

create table categories (
  organization_id uuid not null references organizations (id),
  code text not null check (char_length(code) between 1 and 40),
  name text not null check (char_length(name) between 1 and 100),
  -- In the order in which the organization lists them.
  position integer not null check (position >= 0),
  primary key (organization_id, code)
);
alter table categories enable row level security;
alter table categories force row level security;
create policy tenant on categories to countersign_app
  using (organization_id = scope_organization())
  with check (organization_id = scope_organization());
create policy observation on categories for select to countersign_observer using (true);
grant select, insert, update (name, position), delete on categories to countersign_app;
grant select on categories to countersign_observer;

-- Copies, like the recipient's address: a revision does not change with the organization's list.
alter table expense_revisions
  add column category text check (char_length(category) between 1 and 40),
  add column category_name text check (char_length(category_name) between 1 and 100),
  add column reference text check (char_length(reference) between 1 and 100),
  add column due_date date,
  add constraint category_has_name check ((category is null) = (category_name is null));
