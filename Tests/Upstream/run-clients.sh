#!/usr/bin/env bash
# Type-checks the sources of public clients, unmodified, against the modules of a release build: Documentation/Clients.md has the results.
#
#   Tests/Upstream/run-clients.sh CHECKOUTS [--only NAME...] [--tests] [--messages]
#
# CHECKOUTS has a folder OWNER+NAME for each repository. `swift build -c release --build-tests` comes first. Nothing is written into the
# checkouts, and nothing is fetched: a file that imports a package which is not among the checkouts counts as stopped by it.
#   --only      parts of the names of the repositories that are checked
#   --tests     builds and runs the clients' own tests, as far as these and what they test type-check
#   --messages  each error, with its class; progress on standard error
set -euo pipefail
[ $# -ge 1 ] || { sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"; exit 2; }
root=$(cd "$(dirname "$0")/../.." && pwd)
exec python3 "$root/Tests/Upstream/clients.py" --root "$root" "$@"
