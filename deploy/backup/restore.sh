#!/bin/sh
# restore.sh BACKUP ARCHIVE DATA [TIME]: makes a new data folder from a base backup and the
# write-ahead log. Then start PostgreSQL on it, as the user who ran this. Without TIME it recovers
# everything that was received; with TIME, such as "2027-03-01 12:00:00+00", everything committed
# until then.
set -eu
usage='Usage: restore.sh BACKUP ARCHIVE DATA [TIME]'
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
pg_verifybackup --quiet "$backup"
umask 077
mkdir -p "$data"
cp -R "$backup/." "$data/"
chmod 700 "$data"
{
  echo "restore_command = '\"$here/restore-wal.sh\" \"$archive\" \"%f\" \"%p\"'"
  echo "recovery_target_action = 'promote'"
  if [ -n "$time" ]; then echo "recovery_target_time = '$time'"; fi
  # Otherwise the first commit would wait for a receiver that does not run yet.
  echo "synchronous_standby_names = ''"
} >> "$data/postgresql.auto.conf"
touch "$data/recovery.signal"
echo "Start PostgreSQL on $data. It serves when recovery is complete."
