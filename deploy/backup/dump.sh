#!/bin/sh
# dump.sh FOLDER DATABASE: a logical copy of one database and of the cluster's roles, for another
# version of PostgreSQL or another machine. Run it as a superuser: row-level security hides rows from
# everybody else. The folder contains password verifiers.
set -eu
folder=${1:?Usage: dump.sh FOLDER DATABASE}
database=${2:?Usage: dump.sh FOLDER DATABASE}
umask 077
mkdir "$folder"
pg_dumpall --roles-only --file="$folder/roles.sql"
pg_dump --format=custom --file="$folder/database.dump" "$database"
