#!/usr/bin/env bash
# Runs every fuzz target of the module whose name matches PATTERN for TIME, one after the other.
#
#   hack/fuzz.sh TIME [PATTERN]
#
# Where a target fails, Go has written the input that it fails with below testdata/fuzz of its package: it is a test case
# from then on, once committed. Inputs that reach new code are kept in the folder $FUZZCACHE, if there is one; they are tried
# first, which counts as time too, so that without one every run begins with the committed seeds.
set -euo pipefail

if [[ $# -lt 1 || $# -gt 2 ]]; then
	echo "usage: $0 TIME [PATTERN]" >&2
	exit 2
fi

time=$1
pattern=${2:-.}
cd "$(dirname "${BASH_SOURCE[0]}")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cache=${FUZZCACHE:-$work/cache}

failed=0
# fuzz PACKAGE FOLDER NAME runs one target.
fuzz() {
	local begin=$SECONDS
	printf '=== %s %s\n' "$1" "$3"
	# Most objects are short-lived. -short leaves out most of the seeds that are tests of `make test`, since all would be tried first.
	# A new input is otherwise made smaller for up to a minute, in which nothing else is tried.
	if GOGC=${GOGC:-400} go test -short -run='^$' -fuzz="^$3\$" -fuzztime="$time" -fuzzminimizetime=20x "$1" -args -test.fuzzcachedir="$cache/$1" </dev/null 2>&1 |
		tee "$work/output"; then
		printf '=== %s: passed in %d s\n' "$3" "$((SECONDS - begin))"
		return
	fi
	# Before Go 1.27, the end of the time itself fails a target whose workers are slow: https://go.dev/issue/75804
	if grep -qx ' *context deadline exceeded' "$work/output" && ! grep -q 'Failing input written to' "$work/output"; then
		printf '=== %s: passed in %d s, at the end of which Go found nothing but its own deadline\n' "$3" "$((SECONDS - begin))"
		return
	fi
	failed=1
	printf '=== %s: FAILED after %d s; what it failed with is in %s/testdata/fuzz/%s\n' "$3" "$((SECONDS - begin))" "$2" "$3" >&2
}

while read -r package folder; do
	# Few packages have any, and to ask a package is to build its tests.
	grep -qs '^func Fuzz' "$folder"/*_test.go || continue
	names=$(go test -list '^Fuzz' "$package" | grep '^Fuzz' || true)
	for name in $names; do
		if [[ $name =~ $pattern ]]; then
			fuzz "$package" "$folder" "$name"
		fi
	done
done < <(go list -f '{{.ImportPath}} {{.Dir}}' ./...)
exit "$failed"
