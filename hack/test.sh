#!/usr/bin/env bash
# Runs all tests that need no other program, and lists at the end which tests were skipped, and what they need.
#
#   hack/test.sh MINIMUM
#
# Fails when a test fails, or when the tests of functions/ cover less than MINIMUM percent of its statements.
set -euo pipefail

if [[ $# -ne 1 ]]; then
	echo "usage: $0 MINIMUM" >&2
	exit 2
fi

minimum=$1
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Most objects are short-lived. Collecting them less often saves a quarter of the processor time, and takes some memory.
export GOGC=${GOGC:-400}

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

# Each package would be vetted on its own; `make lint` vets them all at once.
hack/coverage.sh "$minimum"
# The packages of the functions have another command line, which only exists with this tag.
go test -vet=off -tags serving -run '^TestServing' ./functions
mapfile -t packages < <(go list ./... | grep -v /functions)
go test -vet=off "${packages[@]}"
