#!/usr/bin/env bash
# Pushes the packages in FOLDER, which hack/package.sh made, as REPOSITORY/NAME:VERSION. The packages of a function for several
# architectures become one with an index.
#
#   hack/push.sh FOLDER REPOSITORY VERSION      such as: hack/push.sh _output/package registry.example.org/dynamo-crossplane v0.1.0
set -euo pipefail

if [[ $# -ne 3 || -z $1 || -z $2 || -z $3 ]]; then
	echo "usage: $0 FOLDER REPOSITORY VERSION" >&2
	exit 2
fi

folder=$1 repository=$2 version=$3
xpkg=$("$(dirname "${BASH_SOURCE[0]}")/tool.sh" xpkg)

while read -r function _; do
	files=$(printf ',%s' "$folder/$function"-a??64.xpkg)
	"$xpkg" push --package-files="${files#,}" "$repository/$function:$version"
done <"$folder/functions.txt"
for package in "$folder"/configuration-*.xpkg; do
	name=${package##*/}
	"$xpkg" push --package-files="$package" "$repository/${name%.xpkg}:$version"
done
