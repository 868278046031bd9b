#!/bin/sh
# restore.sh [-c CONFIG] BACKUP ARCHIVE DATA [TIME]: makes a new data folder from a base backup and
# the write-ahead log. Then start PostgreSQL on it, as the user who ran this. Without TIME it recovers
# everything that was received; with TIME, such as "2027-03-01 12:00:00+00", everything committed
# until then. CONFIG is a folder with postgresql.conf and pg_hba.conf, for a server that kept them
# outside its data folder, as Debian's packages do (/etc/postgresql/15/main).
set -eu
usage='Usage: restore.sh [-c CONFIG] BACKUP ARCHIVE DATA [TIME]'
config=
while getopts c: option; do
  case $option in c) config=$OPTARG ;; *) echo "$usage" >&2; exit 2 ;; esac
done
shift $((OPTIND - 1))
backup=$(cd "${1:?$usage}" && pwd)
archive=$(cd "${2:?$usage}" && pwd)
data=${3:?$usage}
time=${4:-}
here=$(cd "$(dirname "$0")" && pwd)
case $here$archive$time in
  *[\'\"\\]*) echo 'Paths and TIME must not contain quotes or backslashes.' >&2; exit 2 ;;
esac
if [ -e "$data" ] && [ -n "$(ls -A "$data")" ]; then
  echo "$data is not empty. Restore into a new folder; keep the old one until you are done." >&2
  exit 1
fi
for file in postgresql.conf pg_hba.conf; do
  if [ ! -f "${config:-$backup}/$file" ]; then
    echo "${config:-$backup} has no $file. Name a folder that has it, such as /etc/postgresql/15/main: restore.sh -c FOLDER …" >&2
    exit 1
  fi
done
pg_verifybackup --quiet "$backup"
umask 077
mkdir -p "$data"
cp -R "$backup/." "$data/"
chmod 700 "$data"
if [ -n "$config" ]; then
  for file in pg_hba.conf pg_ident.conf conf.d; do
    if [ -e "$config/$file" ]; then cp -R "$config/$file" "$data/"; fi
  done
fi
# Without what names the old server's folders, as Debian's and Patroni's files do: PostgreSQL would
# open those instead.
sed -E 's/^[[:space:]]*(data_directory|hba_file|ident_file|external_pid_file)[[:space:]=]/#&/' \
  "${config:-$backup}/postgresql.conf" > "$data/postgresql.conf"
{
  echo "restore_command = '\"$here/restore-wal.sh\" \"$archive\" \"%f\" \"%p\"'"
  echo "recovery_target_action = 'promote'"
  if [ -n "$time" ]; then echo "recovery_target_time = '$time'"; fi
  # Otherwise the first commit would wait for a receiver that does not run yet.
  echo "synchronous_standby_names = ''"
} >> "$data/postgresql.auto.conf"
touch "$data/recovery.signal"
echo "Start PostgreSQL on $data. It serves when recovery is complete."
