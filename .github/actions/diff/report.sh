#!/usr/bin/env bash
# Reports what a pull request does to graphs, as Markdown in $RUNNER_TEMP/dgd-diff/report.md and in the summary of the job. The exit status of
# the comparison, 0 or 1 if a graph is refused, is in $RUNNER_TEMP/dgd-diff/status.
#
# The program is built from the version of the action. Of the pull request, only the graphs are read, and the two files that are named.
#
#   GRAPHS                the file or folder with the graphs, or the folder of a kustomization
#   CLUSTER               what the cluster offers: flag --cluster
#   RECURSIVE             true to read folders in folders, too: flag --recursive
#   COMPOSITION, INPUT    files of the platform, or empty: flags --composition and --input
set -euo pipefail

# most characters of a report. A comment may have 65536.
most=60000

action=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$RUNNER_TEMP/dgd-diff
rm -rf "$work"
mkdir -p "$work/none"
go build -C "$action/../../.." -o "$work/dgd" ./cmd/dgd

# What the branch began with, so that changes of others on the base branch are not reported.
base=$(git merge-base HEAD "origin/$GITHUB_BASE_REF") || {
	echo "::error::cannot find where the branch left $GITHUB_BASE_REF; check out with fetch-depth: 0"
	exit 1
}
git worktree add --force --quiet --detach "$work/before" "$base"
trap 'git worktree remove --force "$work/before"' EXIT

# The first graphs have nothing before them, and the last ones nothing after.
before=$work/before/$GRAPHS after=./$GRAPHS
if [[ ! -e $before ]]; then before=$work/none; fi
if [[ ! -e $after ]]; then after=$work/none; fi

flags=(--cluster="$CLUSTER" --output=markdown)
if [[ $RECURSIVE == true ]]; then flags+=(--recursive); fi
if [[ -n $COMPOSITION ]]; then flags+=(--composition="$COMPOSITION"); fi
if [[ -n $INPUT ]]; then flags+=(--input="$INPUT"); fi

# compare FLAG... writes the report.
compare() {
	status=0
	"$work/dgd" diff "$before" "$after" "${flags[@]}" "$@" >"$work/report.md" || status=$?
	if ((status > 1)); then
		echo "::error::nothing was compared; does input path name the graphs of this repository?"
		exit "$status"
	fi
}

compare --fields
if (($(wc -m <"$work/report.md") > most)); then compare; fi
if (($(wc -m <"$work/report.md") > most)); then
	awk -v most="$most" '{ n += length + 1; if (n > most) exit; print }' "$work/report.md" >"$work/short.md"
	printf '\nThe report goes on, and is too long for a comment.\n' >>"$work/short.md"
	mv "$work/short.md" "$work/report.md"
fi
echo "$status" >"$work/status"
cat "$work/report.md" >>"$GITHUB_STEP_SUMMARY"
