#!/usr/bin/env bash
# Holds the size of the project to the limits in hack/size.tsv: the lines of Go that people wrote for the product and for its tests, and the binary
# of the functions. Lists the folders that grew since a limit last changed.
#
# A change that deletes lowers a limit. A commit that raises a limit names what users get for it, in a line of its message that begins with
# "Capability: ".
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

limits=hack/size.tsv

# check NAME NUMBER UNIT compares a number with its limit.
check() {
	local limit
	limit=$(awk -v name="$1" '$1 == name { print $2 }' "$limits")
	printf '%s: %d %s, the limit is %d\n' "$1" "$2" "$3" "$limit"
	if (($2 <= limit)); then return; fi
	printf 'There are %d %s too many. Delete as many elsewhere, or raise the limit in %s, in a commit whose message has a line "Capability: ...".\n' \
		"$(($2 - limit))" "$3" "$limits" >&2
	return 1
}

# binary prints the size of the functions in units of 100 kB: a few bytes more with another version of Go are no capability.
binary() {
	local folder
	folder=$(mktemp -d)
	CGO_ENABLED=0 GOOS=linux GOARCH=amd64 go build -trimpath -ldflags='-s -w' -o "$folder/function" ./cmd/function
	echo $((($(stat -c %s "$folder/function") + 99999) / 100000))
	rm -r "$folder"
}

# lines [COMMIT] prints kind, folder and number of lines of each folder, in the work tree by default.
lines() {
	git grep -I -c '' "$@" -- '*.go' ':!*/zz_generated*' | awk -F: '{
		file = $(NF - 1)
		kind = file ~ /_test\.go$/ || file ~ /^fn-tests\// ? "tests" : "product"
		folder = file
		sub(/\/?[^\/]*$/, "", folder)
		sum[kind "\t" folder] += $NF
	} END { for (key in sum) print key "\t" sum[key] }' | sort
}

# total KIND adds up the lines of a kind.
total() { awk -F '\t' -v kind="$1" '$1 == kind { sum += $3 } END { print sum + 0 }' <<<"$now"; }

# grown COMMIT lists the folders of the product that have more lines than at the commit.
grown() {
	awk -F '\t' 'NR == FNR { before[$1 "\t" $2] = $3; next }
		$1 == "product" && $3 > before[$1 "\t" $2] { printf "  %+d %s\n", $3 - before[$1 "\t" $2], $2 }' <(lines "$1") - <<<"$now" | sort -nr
}

# named COMMIT fails if the commit raises a limit and its message does not say for what.
named() {
	local raised
	raised=$(join <(git show "$1^:$limits" | sort) <(git show "$1:$limits" | sort) | awk '$3 > $2 { print $1 }')
	if [[ -z $raised ]] || git log -1 --format=%B "$1" | grep -q '^Capability: .'; then return; fi
	printf 'Commit %.12s raises the limit of %s. Its message needs a line "Capability: ..." that says what users get for it.\n' "$1" "${raised//$'\n'/, }" >&2
	return 1
}

now=$(lines)
failed=0
# A shallow clone lacks the commits to compare with.
if changed=$(git log -1 --format=%H -- "$limits") && [[ -n $changed ]] && git cat-file -e "$changed^:$limits" 2>/dev/null; then
	named "$changed" || failed=1
fi
check product "$(total product)" lines || failed=1
check tests "$(total tests)" lines || failed=1
check binary "$(binary)" 'units of 100 kB' || failed=1
if [[ -n $changed ]]; then
	printf 'Folders of the product that grew since the limits changed in %.12s:\n' "$changed"
	grown "$changed"
fi
exit "$failed"
