#!/usr/bin/env bash
# Runs every suite of the project, or one of several shards that a CI system runs side by side. All suites of a shard are run, even if one
# fails, and the last lines say which passed, and how long each took.
#
#   hack/test-all.sh [I/N]        shard I of N, such as 2/6; by default everything
#   hack/test-all.sh -l [I/N]     lists the suites of a shard instead: minutes on two cores, name, command
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Minutes on two cores with the tools built, the name of a suite, and its command.
suites() {
	cat <<'SUITES'
20 coverage make coverage
11 suites make suites
4 contract make contract
5 race make race
6 fuzz make fuzz FUZZTIME=10s
1 monitoring make monitoring
1 site make site
5 packages make test-packages
6 gate make e2e-gate
10 namespaced make e2e RUN=TestNamespaced
18 workloads make e2e RUN=TestWorkloads
3 claims make e2e RUN=TestClaims
2 doctor make e2e RUN=TestDoctor
2 older-grove make e2e RUN=TestOlderGrove
2 documented make e2e RUN=TestDocumented
4 break-it make e2e RUN=TestBreakIt
1 tenants make e2e PACKAGE=tenants
2 versions make e2e PACKAGE=versions
6 volcano make e2e RUN=TestVolcano
6 native-gangs make e2e RUN=TestNativeGangs
2 native-topology make e2e RUN=TestNativeTopology
3 kueue make e2e RUN=TestKueue
4 scaling make e2e RUN=TestScaling
3 pressure make pressure
20 crowd make crowd GRAPHS=100 REST=1m
20 soak make soak SOAK=15m GRAPHS=100
SUITES
}

# shard I N prints the suites of one shard. The longest suites are dealt first, each to the shard that has the least so far.
shard() {
	suites | sort --stable --key=1,1nr | awk -v mine="$1" -v shards="$2" '{
		least = 1
		for (i = 2; i <= shards; i++) if (minutes[i] < minutes[least]) least = i
		minutes[least] += $1
		if (least == mine) print
	}'
}

list=
if [[ ${1:-} == -l ]]; then
	list=1
	shift
fi
if [[ $# -gt 1 || ! ${1:-1/1} =~ ^([1-9][0-9]*)/([1-9][0-9]*)$ ]] || ((BASH_REMATCH[1] > BASH_REMATCH[2])); then
	echo "usage: $0 [-l] [I/N], such as $0 2/6" >&2
	exit 2
fi
mapfile -t mine < <(shard "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}")
if [[ -n $list ]]; then
	if ((${#mine[@]})); then printf '%s\n' "${mine[@]}"; fi
	exit
fi

summary=() failed=0
for suite in "${mine[@]}"; do
	read -r _ name command <<<"$suite"
	printf '\n=== %s: %s\n' "$name" "$command"
	begin=$SECONDS outcome=passed
	# The command is one of the list above, whose words have no blanks.
	if ! $command; then outcome=FAILED failed=1; fi
	summary+=("$(printf '%-12s %s in %d s' "$name" "$outcome" "$((SECONDS - begin))")")
done
printf '\n=== suites of shard %s\n' "${1:-1/1}"
printf '%s\n' "${summary[@]}"
exit "$failed"
