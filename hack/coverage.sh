#!/usr/bin/env bash
# Runs the tests of the product and fails when they cover less than MINIMUM percent of its statements.
#
#   hack/coverage.sh MINIMUM
#
# Generated code does not count. The profile stays in _output/coverage.out, for `go tool cover -html`.
set -euo pipefail

if [[ $# -ne 1 ]]; then
	echo "usage: $0 MINIMUM" >&2
	exit 2
fi

minimum=$1
cd "$(dirname "${BASH_SOURCE[0]}")/.."
mkdir -p _output

# A package is covered by the tests of the packages that use it, too: hence one profile for all of them.
# All values take longer than the ten minutes that Go gives each package.
go test -vet=off -timeout=60m -coverpkg=./cmd/...,./functions/...,./internal/...,./tool/... -coverprofile=_output/coverage.all ./cmd/... ./functions/... ./internal/... ./tool/...
grep -v '/zz_generated' _output/coverage.all >_output/coverage.out
rm _output/coverage.all

total=$(go tool cover -func=_output/coverage.out | awk '$1 == "total:" { sub("%", "", $NF); print $NF }')
echo "coverage of the product: $total% of statements, wanted $minimum%"
awk -v total="$total" -v minimum="$minimum" 'BEGIN { exit !(total != "" && total + 0 >= minimum + 0) }'
