-- Server wallets have keys that the service holds, so they may neither approve nor own a vault.
-- Addresses are unique in the deployment, and row-level security hides other accounts' wallets:
-- this tells which of the given addresses are server wallets, and nothing else about them.
create function server_wallets_among(given text[]) returns setof text
language plpgsql stable security definer set search_path = countersign, pg_temp
as $$
begin
  return query select w.address from wallets w where w.kind = 'server' and w.address = any(given);
end
$$;
revoke all on function server_wallets_among from public;
grant execute on function server_wallets_among to countersign_app;

-- A key belongs to the wallet that it was made for. Workers export keys by this reference: whoever
-- may write rows must not be able to point a wallet of their own to the key of another one.
create unique index wallets_privy_reference on wallets (provider_reference)
  where provider = 'privy';

create function keep_wallet_key() returns trigger
language plpgsql set search_path = countersign, pg_temp
as $$
begin
  if (old.state = 'disabled' and new.state <> 'disabled'
      or old.provider_reference is not null
        and (new.provider_reference, new.address, new.native_address)
          is distinct from (old.provider_reference, old.address, old.native_address))
    and not exists (
      select from pg_class c
      where c.oid = tg_relid and pg_has_role(current_user, c.relowner, 'usage')
    )
  then
    raise insufficient_privilege
      using message = 'The key of a wallet never changes, and a disabled wallet stays disabled';
  end if;
  return new;
end
$$;
create trigger keep_wallet_key before update on wallets
  for each row execute function keep_wallet_key();

-- Only workers make keys: an API login cannot fill in the key or the address of a wallet.
revoke update (address, native_address, provider_reference) on wallets from countersign_app;
grant update (address, native_address, provider_reference) on wallets to countersign_worker;

-- Nor can it insert a server wallet that points to somebody else's key: a new one has none yet.
create function begin_server_wallet() returns trigger
language plpgsql set search_path = countersign, pg_temp
as $$
begin
  if new.kind = 'server' and not pg_has_role(current_user, 'countersign_worker', 'usage')
    and (new.state <> 'provisioning' or new.provider_reference is not null
      or new.address is not null or new.native_address is not null)
  then
    raise insufficient_privilege using message = 'Only workers make the keys of server wallets';
  end if;
  return new;
end
$$;
create trigger begin_server_wallet before insert on wallets
  for each row execute function begin_server_wallet();
