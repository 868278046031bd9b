-- Attempts of executors that send by themselves: a key that the provider is asked with, and what it
-- said, in the place of bytes that were signed here.

alter table payment_attempts
  add column kind text not null default 'signed' check (kind in ('signed', 'entrusted')),
  -- The same for the same attempt of a payment, also after an old backup.
  add column idempotency_key uuid unique,
  add column provider_reference text check (char_length(provider_reference) between 1 and 255),
  add column provider_state text check (provider_state in ('accepted', 'sent', 'stuck', 'mined',
    'denied', 'refused', 'failed', 'cancelled')),
  add column heard_at timestamptz,
  -- The newest block after the provider's last word: what it did before is in no later one.
  add column heard_block bigint check (heard_block >= 0),
  alter column nonce drop not null,
  alter column fee_rank drop not null,
  alter column max_fee_per_gas drop not null,
  alter column max_priority_fee_per_gas drop not null,
  alter column transaction_hash drop not null,
  alter column raw drop not null,
  -- A bundler may put several payments into one transaction.
  drop constraint payment_attempts_transaction_hash_key,
  add constraint payment_attempts_kind_fits check (
    case kind
      when 'signed' then
        num_nulls(nonce, fee_rank, max_fee_per_gas, max_priority_fee_per_gas, transaction_hash,
          raw) = 0
        and num_nonnulls(idempotency_key, provider_reference, provider_state, heard_at,
          heard_block) = 0
      else
        idempotency_key is not null
        and num_nonnulls(nonce, fee_rank, max_fee_per_gas, max_priority_fee_per_gas, raw) = 0
    end);

create unique index payment_attempts_signed_hash on payment_attempts (transaction_hash)
  where kind = 'signed';
create index payment_attempts_hash on payment_attempts (transaction_hash);

grant update (provider_reference, provider_state, transaction_hash, heard_at, heard_block)
  on payment_attempts to countersign_app;
grant select (kind, idempotency_key, provider_reference, provider_state, heard_at, heard_block)
  on payment_attempts to countersign_observer;

-- Somebody else may pay for the transactions of an executor: then it needs no gas of its own.
alter table executor_bindings add column pays_own_gas boolean not null default true;
grant select (pays_own_gas) on executor_bindings to countersign_observer;
