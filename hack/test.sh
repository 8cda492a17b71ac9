#!/usr/bin/env bash
# Runs the tests that a contributor runs after every change: all that need no other program, with fewer values where many differ in nothing
# else. Lists at the end which tests were skipped because something is missing, and what they need.
#
#   hack/test.sh [FLAG...] [PACKAGE...]      flags of go test; all packages by default
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Most objects are short-lived. To collect them only when a process has a gigabyte saves a third of the processor time. `go test` runs as many
# processes as there are processors.
export GOGC=${GOGC:-off} GOMEMLIMIT=${GOMEMLIMIT:-1GiB}

# A new file for each run: Go caches no result of a skipped test for another value of the variable.
CONFIGURATION_DYNAMO_SKIPPED=$(mktemp)
export CONFIGURATION_DYNAMO_SKIPPED

list_skipped() {
	if [[ -s $CONFIGURATION_DYNAMO_SKIPPED ]]; then
		awk -F '\t' '{ cases += $1 } END { printf "\n%d cases of %d tests were not run:\n", cases, NR }' "$CONFIGURATION_DYNAMO_SKIPPED"
		sort -t "$(printf '\t')" -k 2 "$CONFIGURATION_DYNAMO_SKIPPED" | awk -F '\t' '{ printf "  %s (%d)\n", $2, $1 }'
	fi
	rm -f "$CONFIGURATION_DYNAMO_SKIPPED"
}
trap list_skipped EXIT

if [[ $# -eq 0 ]]; then
	# The lives of graphs are a suite of their own: `make lives`.
	mapfile -t packages < <(go list ./... | grep -v -x -F -e "$(hack/lives.sh)")
	set -- -short "${packages[@]}"
fi

# Each package would be vetted on its own; `make lint` vets them all at once. Most of the time to link a test goes into what only a debugger
# reads.
go test -vet=off "-ldflags=-s -w" "$@"
