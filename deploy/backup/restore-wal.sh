#!/bin/sh
# restore-wal.sh ARCHIVE FILE TARGET: PostgreSQL's restore_command, as restore.sh sets it. The last
# file is still called .partial, because the server was lost before it was full.
set -eu
if [ -f "$1/$2" ]; then exec cp "$1/$2" "$3"; fi
if [ -f "$1/$2.partial" ]; then exec cp "$1/$2.partial" "$3"; fi
exit 1
