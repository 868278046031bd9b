-- A control that is asked for stands beside the one that works, which ends only once the provider
-- has attached the new one: a mistyped id must cost nothing.
drop index funding_controls_current;
create unique index funding_controls_current on funding_controls (organization_id, vault_id)
  where state in ('attached', 'verified');
create unique index funding_controls_pending on funding_controls (organization_id, vault_id)
  where state = 'pending';
