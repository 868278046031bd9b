-- The database computes the digest of an audit event from the row that it stores, and refuses the
-- row when the application's digest differs. Before, a stolen application login could store one
-- event and chain the digest of another. The statement of the previous version still fits: its
-- digest is the right one, so both versions write side by side.

-- RFC 8785 (canonical JSON) of what `jsonb` can hold. Strings need no work: PostgreSQL escapes the
-- same characters in the same way. Numbers are written as JavaScript writes a double. Numbers that
-- a double cannot hold exactly or that need an exponent have no form here, and neither have keys
-- outside ASCII, whose order in UTF-16 PostgreSQL cannot compute. No audit event needs them.
create function canonical_json(value jsonb) returns text
language plpgsql immutable strict parallel safe
as $$
declare
  result text;
  is_ascii boolean;
  number double precision;
begin
  case jsonb_typeof(value)
    when 'object' then
      select '{' || coalesce(string_agg(
          to_json(e.key)::text || ':' || case
            when jsonb_typeof(e.value) in ('string', 'null', 'boolean') then e.value::text
            else canonical_json(e.value)
          end, ',' order by e.key collate "C"), '') || '}',
        coalesce(bool_and(octet_length(e.key) = length(e.key)), true)
      into result, is_ascii
      from jsonb_each(value) e;
      if not is_ascii then
        raise exception 'a key outside ASCII has no canonical form here'
          using errcode = 'check_violation';
      end if;
      return result;
    when 'array' then
      select '[' || coalesce(string_agg(canonical_json(e.value), ',' order by e.place), '') || ']'
      into result
      from jsonb_array_elements(value) with ordinality e (value, place);
      return result;
    when 'number' then
      result := value::text;
      -- Whole and exact in a double: written as it is.
      if length(result) < 16 and position('.' in result) = 0 then
        return result;
      end if;
      number := result::double precision;
      if number <> 0 and (abs(number) > 9007199254740991 or abs(number) < 1e-6) then
        raise exception 'the number % has no canonical form here', result
          using errcode = 'check_violation';
      end if;
      -- The shortest digits that give the same double, without an exponent.
      return trim_scale(number::text::numeric)::text;
    else
      return value::text;
  end case;
end
$$;
revoke all on function canonical_json from public;

-- When the database stored the event. `occurred_at` is the application's clock.
alter table audit_events add column recorded_at timestamptz;

create or replace function chain_audit_event() returns trigger
language plpgsql security definer
set search_path = countersign, pg_temp set extra_float_digits = 1
as $$
declare
  head audit_heads;
  computed bytea;
begin
  if new.occurred_at <> date_trunc('milliseconds', new.occurred_at)
    or new.occurred_at not between '1970-01-01Z' and '9999-12-31Z'
  then
    raise exception 'occurred_at of an audit event must be in whole milliseconds'
      using errcode = 'check_violation';
  end if;
  computed := sha256(convert_to(
    '{"action":' || to_json(new.action)::text
    || ',"actorAccountId":' || coalesce(to_json(new.actor_account_id)::text, 'null')
    || ',"actorRealm":' || to_json(new.actor_realm)::text
    || ',"aggregateId":' || to_json(new.aggregate_id)::text
    || ',"aggregateType":' || to_json(new.aggregate_type)::text
    || ',"data":' || canonical_json(new.data)
    || ',"id":' || to_json(new.id)::text
    || ',"occurredAt":"'
    || to_char(new.occurred_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
    || '","organizationId":' || coalesce(to_json(new.organization_id)::text, 'null')
    || ',"requestId":' || coalesce(to_json(new.request_id)::text, 'null')
    || '}', 'UTF8'));
  if new.digest is distinct from computed then
    raise exception 'the digest of audit event % is not that of its row', new.id
      using errcode = 'check_violation';
  end if;
  insert into audit_heads (organization_id, seq, hash)
    values (new.organization_id, 0, decode(repeat('00', 32), 'hex'))
    on conflict do nothing;
  select * into head from audit_heads
    where organization_id is not distinct from new.organization_id for update;
  new.seq := head.seq + 1;
  new.hash := sha256(head.hash || new.digest);
  new.recorded_at := clock_timestamp();
  update audit_heads set seq = new.seq, hash = new.hash
    where organization_id is not distinct from new.organization_id;
  return new;
end
$$;

-- An analysis puts the end of its organization's trail into its report; `npm run audit` compares
-- every end without the owner's login. Only the trigger writes.
create policy tenant on audit_heads for select to countersign_app
  using (organization_id = scope_organization());
create policy observation on audit_heads for select to countersign_observer using (true);
grant select on audit_heads to countersign_app, countersign_observer;
