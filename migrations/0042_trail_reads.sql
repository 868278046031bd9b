-- Owners read their organization's audit trail and operators the service's own, newest first, by
-- time, action, actor or aggregate. The service's trail is the one without an organization.

create index audit_events_time on audit_events (organization_id, occurred_at, seq);
create index audit_events_action on audit_events (organization_id, action, occurred_at, seq);
create index audit_events_actor
  on audit_events (organization_id, actor_account_id, occurred_at, seq)
  where actor_account_id is not null;
create index audit_events_aggregate
  on audit_events (organization_id, aggregate_id, occurred_at, seq);

-- The policies that were prepared for a vault.
create index policy_intents_vault on policy_intents (organization_id, vault_id, id);
