#!/bin/sh
# receive-wal.sh ARCHIVE: receives the write-ahead log while it is written, and runs until stopped.
# Run it on another machine than the server, under a supervisor. With a single server and
#   alter system set synchronous_standby_names = 'countersign_backup'
# the server acknowledges a commit only after this has flushed it. PGHOST, PGUSER and the like name
# the server; the user needs REPLICATION. PostgreSQL's own programs must be on the path.
set -eu
archive=${1:?Usage: receive-wal.sh ARCHIVE}
umask 077
mkdir -p "$archive"
export PGAPPNAME=countersign_backup
# The server keeps what this has not received yet. Watch its disk while this does not run.
pg_receivewal --slot=countersign_backup --create-slot --if-not-exists
exec pg_receivewal --directory="$archive" --slot=countersign_backup --synchronous
