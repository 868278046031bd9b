#!/bin/sh
# prune.sh FOLDER ARCHIVE KEEP: removes all but the newest KEEP base backups, and the write-ahead log
# that only the removed ones need.
set -eu
folder=${1:?Usage: prune.sh FOLDER ARCHIVE KEEP}
archive=${2:?Usage: prune.sh FOLDER ARCHIVE KEEP}
keep=${3:?Usage: prune.sh FOLDER ARCHIVE KEEP}
case $keep in '' | *[!0-9]* | 0*) echo "KEEP must be a number from 1, not $keep." >&2; exit 2 ;; esac
kept=
n=0
# The names contain the time, so the newest is the last.
for backup in $(cd "$folder" && ls -d base-*Z | sort -r); do
  n=$((n + 1))
  if [ "$n" -le "$keep" ]; then kept=$backup; else rm -rf "${folder:?}/$backup"; fi
done
if [ -z "$kept" ]; then echo "No backup in $folder: nothing removed." >&2; exit 1; fi
first=$(sed -n 's/^START WAL LOCATION: .*(file \([0-9A-F]*\))$/\1/p' "$folder/$kept/backup_label")
pg_archivecleanup "$archive" "${first:?$kept has no backup_label}"
