#!/usr/bin/env bash
# Comments on a pull request with the report of report.sh, or changes the comment of the last run. Without anything to say there is no comment,
# unless there has been one. Ends with exit status 1 if a graph is refused.
#
#   GRAPHS, CLUSTER    of report.sh: each pair has a comment of its own
#   NUMBER             of the pull request
#   FORK               true if it comes from a fork, whose token may not write: then the report is only in the summary of the job
#   GH_TOKEN           of gh
set -euo pipefail

work=$RUNNER_TEMP/dgd-diff
status=$(<"$work/status")

# The first line is not shown.
export MARKER="<!-- configuration-dynamo diff $GRAPHS $CLUSTER -->"
{
	echo "$MARKER"
	tail -n +2 "$work/report.md"
} >"$work/comment.md"

# comment writes the report.
comment() {
	local comments=repos/$GITHUB_REPOSITORY/issues previous
	previous=$(gh api "$comments/$NUMBER/comments" --paginate \
		--jq '.[] | select(.user.type == "Bot" and (.body | startswith(env.MARKER))) | .id')
	previous=${previous%%$'\n'*}
	if [[ -n $previous ]]; then
		gh api --silent --method PATCH "$comments/comments/$previous" --field "body=@$work/comment.md"
	elif grep -q '^### ' "$work/comment.md"; then
		gh api --silent "$comments/$NUMBER/comments" --field "body=@$work/comment.md"
	fi
}

if [[ $FORK == true ]]; then
	echo "::notice::pull requests from forks get no comment; the report is in the summary of the job"
else
	comment
fi
if ((status == 1)); then
	echo "::error::a graph is refused; the report says why"
fi
exit "$status"
