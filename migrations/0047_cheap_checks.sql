-- PostgreSQL reads and compiles the expression of a check again for every statement that writes the
-- table, which costs more than the check itself. A function in plpgsql is compiled once for each
-- connection, so each of these tables has one check with the conditions of all earlier ones. Null
-- passes, as in a check of its own.

create function is_valid_revision(
  revision integer, amount numeric, requested_mode text, purpose text, reason text,
  recipient_address text, version_hash text, category text, category_name text, reference text,
  reference_key bytea, attachment_count integer
) returns boolean
language plpgsql immutable parallel safe
as $$
begin
  return revision > 0
    and amount > 0
    and requested_mode in ('approved', 'automatic')
    and char_length(purpose) between 1 and 2000
    and char_length(reason) between 1 and 1000
    and recipient_address ~ '^0x[0-9a-f]+$' and length(recipient_address) = 42
    and version_hash ~ '^0x[0-9a-f]+$' and length(version_hash) = 66
    and (category is null) = (category_name is null)
    and char_length(category) between 1 and 40
    and char_length(category_name) between 1 and 100
    and char_length(reference) between 1 and 100
    and octet_length(reference_key) = 32
    and attachment_count between 0 and 10;
end
$$;

create function is_valid_expense(state text, block_code text, current_revision integer)
returns boolean
language plpgsql immutable parallel safe
as $$
begin
  return current_revision > 0
    and (block_code is not null) = (state = 'blocked')
    and state in ('draft', 'analysis_queued', 'analyzing', 'needs_review', 'revision_requested',
      'awaiting_approval', 'approved_ready_for_payment', 'automatic_ready_for_payment', 'executing',
      'reconciling', 'paid', 'rejected', 'cancelled', 'blocked');
end
$$;

create function is_valid_live_event(
  audience text, severity text, target_state text, code text
) returns boolean
language plpgsql immutable parallel safe
as $$
begin
  return audience in ('consumer', 'admin', 'both')
    and severity in ('healthy', 'degraded', 'action_required')
    and char_length(target_state) <= 80
    and char_length(code) <= 100;
end
$$;

alter table expense_revisions
  add constraint valid_revision check (is_valid_revision(revision, amount, requested_mode, purpose,
    reason, recipient_address, version_hash, category, category_name, reference, reference_key,
    attachment_count)),
  drop constraint expense_revisions_revision_check,
  drop constraint expense_revisions_amount_check,
  drop constraint expense_revisions_requested_mode_check,
  drop constraint expense_revisions_purpose_check,
  drop constraint expense_revisions_reason_check,
  drop constraint expense_revisions_recipient_address_form,
  drop constraint expense_revisions_version_hash_form,
  drop constraint category_has_name,
  drop constraint expense_revisions_category_check,
  drop constraint expense_revisions_category_name_check,
  drop constraint expense_revisions_reference_check,
  drop constraint expense_revisions_reference_key_check,
  drop constraint expense_revisions_attachment_count_check;

alter table expenses
  add constraint valid_expense check (is_valid_expense(state, block_code, current_revision)),
  drop constraint expenses_current_revision_check,
  drop constraint expenses_check,
  drop constraint expenses_state_check;

alter table live_events
  add constraint valid_live_event check (is_valid_live_event(audience, severity, target_state,
    code)),
  drop constraint live_events_audience_check,
  drop constraint live_events_severity_check,
  drop constraint live_events_target_state_check,
  drop constraint live_events_code_check;
