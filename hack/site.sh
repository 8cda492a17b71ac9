#!/usr/bin/env bash
# Builds the documentation as a static site into a folder of FOLDER with the name of the version.
#
#   hack/site.sh FOLDER [VERSION [CHANGELOG]]
#
# VERSION is main by default, which is a branch; a release is a tag, such as v0.2.0. CHANGELOG is CHANGELOG.md by default, whose sections are
# the releases, the newest first.
#
#   FOLDER/VERSION/       the site of the version, in which links to other files lead to the repository at the version
#   FOLDER/versions.js    all versions, for the list on each page: those in FOLDER, and the repository at the tags of all other releases
#   FOLDER/index.html     leads to the newest release in FOLDER, or to main
#
# To publish several versions, build or unpack all of them in the same folder, the newest last.
set -euo pipefail

if [[ $# -lt 1 || $# -gt 3 || -z $1 ]]; then
	echo "usage: $0 FOLDER [VERSION [CHANGELOG]]" >&2
	exit 2
fi
folder=$1 version=${2:-main} changelog=CHANGELOG.md
if [[ -n ${3:-} ]]; then changelog=$(realpath "$3"); fi
if [[ ! $version =~ ^(main|v[0-9]+\.[0-9]+\.[0-9]+[a-z0-9.-]*)$ ]]; then
	echo "$0: $version is no version: want main, or a tag such as v0.2.0" >&2
	exit 2
fi
mkdir -p "$folder"
out=$(cd "$folder" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/.."

HUGO_PARAMS_VERSION=$version "$(hack/tool.sh hugo)" build --source=site --destination="$out/$version" --cleanDestinationDir \
	--cacheDir="$PWD/.cache/hugo" --noBuildLock --panicOnWarning --quiet

repository=$(sed -n 's/^  repository: //p' site/hugo.yaml)
released=$(sed -n 's/^## \(v[^ ]*\)$/\1/p' "$changelog")
releases=()
if [[ -n $released ]]; then mapfile -t releases <<<"$released"; fi
# What is built before its release is the newest version.
if [[ $version != main && " ${releases[*]} " != *" $version "* ]]; then releases=("$version" "${releases[@]}"); fi

newest=main versions=()
if [[ -d $out/main ]]; then versions=('["main", "main/index.html"]'); fi
for release in "${releases[@]}"; do
	address=$repository/tree/$release/docs
	if [[ -d $out/$release ]]; then
		address=$release/index.html
		if [[ $newest == main ]]; then newest=$release; fi
	fi
	versions+=("[\"$release\", \"$address\"]")
done
(
	IFS=,
	echo "versions = [${versions[*]}];"
) >"$out/versions.js"
cat >"$out/index.html" <<-END
	<!doctype html>
	<html lang="en">
	<head>
	<meta charset="utf-8">
	<meta http-equiv="refresh" content="0; url=$newest/index.html">
	<title>configuration-dynamo</title>
	</head>
	<body><p><a href="$newest/index.html">configuration-dynamo $newest</a></p></body>
	</html>
END
echo "site in $out: open $out/index.html"
