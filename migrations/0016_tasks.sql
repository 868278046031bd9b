-- What waits for somebody is found by its state and its age, however much is over and done with.

create index expenses_open on expenses (organization_id, state, updated_at desc, id desc)
  where state not in ('draft', 'paid', 'rejected', 'cancelled');
create index expenses_ended on expenses (organization_id, updated_at desc, id desc)
  where state in ('paid', 'rejected', 'cancelled');

-- An employee's own must not be looked for among everybody's.
create index expenses_own_open
  on expenses (organization_id, submitter_account_id, state, updated_at desc, id desc)
  where state not in ('paid', 'rejected', 'cancelled');
create index expenses_own_ended
  on expenses (organization_id, submitter_account_id, updated_at desc, id desc)
  where state in ('paid', 'rejected', 'cancelled');

-- Operators look across organizations, at what is stuck.
create index expenses_stuck on expenses (state, updated_at desc, id desc)
  where state in ('blocked', 'reconciling');

create index support_cases_unresolved on support_cases (updated_at desc, id desc)
  where state <> 'resolved';
create index support_cases_resolved on support_cases (updated_at desc, id desc)
  where state = 'resolved';
create index support_cases_open on support_cases (organization_id, updated_at desc, id desc)
  where state <> 'resolved';
create index support_cases_ended on support_cases (organization_id, updated_at desc, id desc)
  where state = 'resolved';
create index support_cases_own_open
  on support_cases (organization_id, opened_by_account_id, updated_at desc, id desc)
  where state <> 'resolved';
create index support_cases_own_ended
  on support_cases (organization_id, opened_by_account_id, updated_at desc, id desc)
  where state = 'resolved';
