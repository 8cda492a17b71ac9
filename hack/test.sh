#!/usr/bin/env bash
# Runs all tests that need no other program, and says at the end which could not run, and why.
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

# Most of the time goes into short-lived objects: less collection, a quarter less work, for some memory.
export GOGC=${GOGC:-400}

# Another file in each run: for another value of the variable Go takes no result of a test that was skipped from its cache.
CONFIGURATION_DYNAMO_SKIPPED=$(mktemp)
export CONFIGURATION_DYNAMO_SKIPPED

tell() {
	if [[ -s $CONFIGURATION_DYNAMO_SKIPPED ]]; then
		awk -F '\t' '{ cases += $1 } END { printf "\n%d cases of %d tests were not run:\n", cases, NR }' "$CONFIGURATION_DYNAMO_SKIPPED"
		sort -t "$(printf '\t')" -k 2 "$CONFIGURATION_DYNAMO_SKIPPED" | awk -F '\t' '{ printf "  %s (%d)\n", $2, $1 }'
	fi
	rm -f "$CONFIGURATION_DYNAMO_SKIPPED"
}
trap tell EXIT

hack/coverage.sh "$minimum"
mapfile -t packages < <(go list ./... | grep -v /functions)
go test "${packages[@]}"
