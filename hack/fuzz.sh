#!/usr/bin/env bash
# Runs every fuzz target of the module for a time, one after the other: fuzz.sh TIME [PATTERN]. Where a target fails, Go has
# written the input that it fails with below testdata/fuzz of its package: it is a test case from then on, once committed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

time=${1:?usage: fuzz.sh TIME [PATTERN]}
pattern=${2:-.}
failed=0

# targets prints the package and the name of each target.
targets() {
	local package name
	for package in $(go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}' ./...); do
		# Only few packages have any, and linking a test takes longer than looking.
		grep -qs '^func Fuzz' "$(go list -f '{{.Dir}}' "$package")"/*_test.go || continue
		for name in $(go test -list '^Fuzz' "$package" | grep '^Fuzz' || true); do
			printf '%s %s\n' "$package" "$name"
		done
	done
}

found=$(targets)
while read -r package name; do
	[[ $name =~ $pattern ]] || continue
	begin=$SECONDS
	printf '=== %s %s\n' "$package" "$name"
	# A new input is otherwise made smaller for up to a minute, in which nothing else is tried.
	if go test -run='^$' -fuzz="^$name\$" -fuzztime="$time" -fuzzminimizetime=20x "$package"; then
		printf '=== %s: passed in %d s\n' "$name" "$((SECONDS - begin))"
		continue
	fi
	failed=1
	printf '=== %s: FAILED after %d s; the input is in %s/testdata/fuzz/%s\n' "$name" "$((SECONDS - begin))" \
		"$(go list -f '{{.Dir}}' "$package")" "$name" >&2
done <<<"$found"
exit "$failed"
