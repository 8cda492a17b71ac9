#!/usr/bin/env bash
# Prints the notes of a release: the section of a version in a changelog. Links within the repository become links to its files at the tag.
#
#   hack/release-notes.sh VERSION [CHANGELOG]      CHANGELOG is CHANGELOG.md by default
set -euo pipefail

if [[ $# -lt 1 || $# -gt 2 || -z $1 ]]; then
	echo "usage: $0 VERSION [CHANGELOG]" >&2
	exit 2
fi

version=$1
changelog=${2:-$(dirname "${BASH_SOURCE[0]}")/../CHANGELOG.md}
repository=https://github.com/dynamo-crossplane/configuration-dynamo

# Blank lines at the beginning and at the end of a section belong to none.
notes=$(awk -v heading="## $version" '/^## / { found = $0 == heading; next } found { print }' "$changelog" | sed -e '/./,$!d')
if [[ -z $notes ]]; then
	echo "$0: $changelog has no section \"## $version\": hack/changelog.sh $version writes it" >&2
	exit 1
fi
sed -E "s#\]\(([A-Za-z0-9_.-]+(/[^)]*)?)\)#](${repository}/blob/$version/\1)#g" <<<"$notes"
