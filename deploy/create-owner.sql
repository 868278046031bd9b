-- The `postgres` image runs this once, when its volume is new, as the superuser. Nothing else uses the
-- superuser. The owner may create the service's roles; it is not a superuser and cannot read files of
-- the server.
\getenv password OWNER_PASSWORD
create role countersign login createrole nosuperuser nocreatedb nobypassrls password :'password';
create database countersign owner countersign;
