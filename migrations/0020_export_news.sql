-- What is told of an export belongs to the wallet's holder, who is told of it by push.
create or replace function place_live_event() returns trigger
language plpgsql set search_path = countersign, pg_temp
as $$
begin
  -- A transaction gets its number with its first write, perhaps long before it had its turn at this
  -- thing. Events of one thing stand in the order of their turns: whoever came later stands no
  -- earlier. Its own number is never higher than this, so no reader can have passed it.
  if new.organization_id is not null then
    select greatest(new.transaction_id, max(e.transaction_id)) into new.transaction_id
      from live_events e
      where e.organization_id = new.organization_id and e.aggregate_type = new.aggregate_type
        and e.aggregate_id = new.aggregate_id;
  end if;
  if new.aggregate_type = 'expense' then
    select submitter_account_id into new.account_id from expenses
      where organization_id = new.organization_id and id = new.aggregate_id::uuid;
  elsif new.aggregate_type = 'payment' then
    select submitter_account_id into new.account_id from expenses
      where organization_id = new.organization_id and payment_id = new.aggregate_id::uuid;
  elsif new.aggregate_type = 'agent_run' then
    select e.submitter_account_id into new.account_id
      from agent_runs r join expenses e
        on e.organization_id = r.organization_id and e.id = r.expense_id
      where r.organization_id = new.organization_id and r.id = new.aggregate_id::uuid;
  elsif new.aggregate_type = 'approval' then
    select e.submitter_account_id into new.account_id
      from approvals a join expenses e
        on e.organization_id = a.organization_id and e.id = a.expense_id
      where a.organization_id = new.organization_id and a.id = new.aggregate_id::uuid;
  elsif new.aggregate_type = 'support_case' then
    select opened_by_account_id into new.account_id from support_cases
      where organization_id = new.organization_id and id = new.aggregate_id::uuid;
  elsif new.code like 'wallet\_export\_%' then
    select account_id into new.account_id from wallet_exports where id = new.aggregate_id::uuid;
  end if;
  return new;
end
$$;
