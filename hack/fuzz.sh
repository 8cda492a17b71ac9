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
	if try "$1" "$3" "$time" && { tried_inputs || try "$1" "$3" "$(twice_its_seeds)x"; }; then
		printf '=== %s: passed in %d s\n' "$3" "$((SECONDS - begin))"
		return
	fi
	failed=1
	printf '=== %s: FAILED after %d s; what it failed with is in %s/testdata/fuzz/%s\n' "$3" "$((SECONDS - begin))" "$2" "$3" >&2
}

# try PACKAGE NAME LIMIT fuzzes one target until the limit, which is a time or a number of inputs.
try() {
	# Most objects are short-lived. -short leaves out most of the seeds that are tests of `make test`, since all would be tried first.
	# A new input is otherwise made smaller for up to a minute, in which nothing else is tried.
	if GOGC=${GOGC:-400} go test -short -run='^$' -fuzz="^$2\$" -fuzztime="$3" -fuzzminimizetime=20x "$1" -args -test.fuzzcachedir="$cache/$1" </dev/null 2>&1 |
		tee "$work/output"; then
		return
	fi
	# Before Go 1.27, the end of the time itself fails a target whose workers are slow: https://go.dev/issue/75804
	grep -qx ' *context deadline exceeded' "$work/output" && ! grep -q 'Failing input written to' "$work/output"
}

# tried_inputs reports whether the target has tried any other input than its seeds. On a busy machine, the time can end before that.
tried_inputs() { grep -q ', execs: ' "$work/output"; }

# twice_its_seeds is a number of inputs that is enough to try others, too: Go counts seeds as inputs.
twice_its_seeds() {
	local seeds
	seeds=$(sed -n 's|.* baseline coverage: .*/\([0-9]*\) completed.*|\1|p' "$work/output" | tail -n 1)
	echo $((2 * ${seeds:-0}))
}

while read -r package folder; do
	# To ask a package for its targets is to build its tests.
	for name in $(sed -n 's/^func \(Fuzz[A-Za-z0-9]*\)(.*/\1/p' "$folder"/*_test.go 2>/dev/null); do
		if [[ $name =~ $pattern ]]; then
			fuzz "$package" "$folder" "$name"
		fi
	done
done < <(go list -f '{{.ImportPath}} {{.Dir}}' ./...)
exit "$failed"
