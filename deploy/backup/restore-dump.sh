#!/bin/sh
# restore-dump.sh FOLDER: into a new cluster, as a superuser. Creates the roles, the database and
# everything in it, and stops at the first error.
set -eu
folder=${1:?Usage: restore-dump.sh FOLDER}
# The superuser exists and keeps the new cluster's password.
me=$(psql -XAt -d postgres -c 'select quote_ident(current_user)')
{ grep -v -e "^CREATE ROLE $me;$" -e "^ALTER ROLE $me WITH" "$folder/roles.sql"; } |
  psql -Xq -v ON_ERROR_STOP=1 --single-transaction -d postgres
pg_restore --create --exit-on-error --dbname=postgres "$folder/database.dump"
