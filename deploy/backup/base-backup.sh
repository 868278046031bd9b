#!/bin/sh
# base-backup.sh FOLDER: copies the whole cluster, roles included, while it runs; prints the new
# backup's path. Run it daily. The user needs REPLICATION.
set -eu
folder=${1:?Usage: base-backup.sh FOLDER}
umask 077
mkdir -p "$folder"
backup=$folder/base-$(date -u +%Y%m%dT%H%M%SZ)
pg_basebackup --pgdata="$backup.partial" --checkpoint=fast --wal-method=stream \
  --manifest-checksums=SHA256
pg_verifybackup --quiet "$backup.partial"
# Only a complete backup has this name.
mv "$backup.partial" "$backup"
echo "$backup"
