-- A second executor may be bound while the first is in use. `next`: no policy in force names it
-- yet. `draining`: a policy in force names a newer one. `disabled`: retired, it sends nothing more.
alter table executor_bindings
  drop constraint executor_bindings_state_check,
  add constraint executor_bindings_state_check
    check (state in ('next', 'active', 'draining', 'disabled'));

create index executor_bindings_used on executor_bindings (organization_id)
  where state <> 'disabled';
