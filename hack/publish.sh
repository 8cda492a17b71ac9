#!/usr/bin/env bash
# Pushes the packages of a release, and signs and attests what was pushed, by digest. The release workflow runs it, with its identity.
#
#   hack/publish.sh [-n] FOLDER REPOSITORY VERSION      FOLDER as hack/release.sh built it; -n only prints the commands
#
# It adds FOLDER/provenance.json, which says how the files were built (SLSA), and FOLDER/*.sigstore.json, the signatures of files.
set -euo pipefail

run=run
if [[ ${1:-} == -n ]]; then
	run=show
	shift
fi
if [[ $# -ne 3 || -z $1 || -z $2 || -z $3 ]]; then
	echo "usage: $0 [-n] FOLDER REPOSITORY VERSION" >&2
	exit 2
fi
folder=$1 repository=$2 version=$3
hack=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

run() { "$@"; }
show() {
	printf '%s' "${1##*/}"
	shift
	printf ' %q' "$@"
	echo
}

cosign=cosign crane=crane
if [[ $run == run ]]; then
	cosign=$("$hack/tool.sh" cosign)
	crane=$("$hack/tool.sh" crane)
fi

# provenance prints how the release was built: https://slsa.dev/spec/v1.0/provenance. Its variables are those of a workflow.
provenance() {
	local source=${GITHUB_SERVER_URL:-https://github.com}/${GITHUB_REPOSITORY:-dynamo-crossplane/configuration-dynamo}
	local commit=${GITHUB_SHA:-$(git -C "$hack" rev-parse HEAD)} workflow=.github/workflows/release.yaml
	cat <<-END
		{
		  "buildDefinition": {
		    "buildType": "$source/blob/$version/$workflow",
		    "externalParameters": {"version": "$version"},
		    "resolvedDependencies": [{"uri": "git+$source@refs/tags/$version", "digest": {"gitCommit": "$commit"}}]
		  },
		  "runDetails": {
		    "builder": {"id": "$source/$workflow@refs/tags/$version"},
		    "metadata": {"invocationId": "$source/actions/runs/${GITHUB_RUN_ID:-0}/attempts/${GITHUB_RUN_ATTEMPT:-1}"}
		  }
		}
	END
}
provenance >"$folder/provenance.json"

# What was pushed is what was built. A registry that has another package under the digest of a release is not signed for.
check() {
	local pushed
	pushed=$("$crane" digest "$1:$version")
	if [[ $pushed != "$2" ]]; then
		echo "$0: $1:$version has digest $pushed, and was built with $2" >&2
		return 1
	fi
}

$run "$hack/push.sh" "$folder/packages" "$repository" "$version"
if [[ $run == run ]]; then
	while read -r name digest; do
		check "$repository/$name" "$digest"
	done <"$folder/packages.txt"
fi

# Crossplane looks for signatures and attestations in the format of tags, which cosign 2 writes by default.
while read -r name digest; do
	package=$repository/$name@$digest
	$run "$cosign" sign --yes --recursive "$package"
	$run "$cosign" attest --yes --type=slsaprovenance1 --predicate="$folder/provenance.json" "$package"
	if [[ $name == function-* ]]; then
		for arch in amd64 arm64; do
			$run "$cosign" attest --yes --type=cyclonedx --predicate="$folder/functions-$arch.cdx.json" "$package"
		done
	fi
done <"$folder/packages.txt"

for file in "$folder"/kubectl-dgd-*; do
	if [[ $file == *.json ]]; then continue; fi
	$run "$cosign" attest-blob --yes --new-bundle-format --type=slsaprovenance1 --predicate="$folder/provenance.json" \
		--bundle="$file.provenance.sigstore.json" "$file"
done
# The checksums stand for all files.
$run "$cosign" sign-blob --yes --new-bundle-format --bundle="$folder/SHA256SUMS.sigstore.json" "$folder/SHA256SUMS"
