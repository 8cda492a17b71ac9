#!/usr/bin/env bash
# Builds the tool NAME from its own module hack/tools/NAME into .cache/tools/NAME and prints the path of the binary.
#
#   hack/tool.sh NAME
#
# hack/tools/NAME holds go.mod and go.sum (the pinned versions), the file package (the path of the main package) and,
# where the tool needs them, the file ldflags. The binary is built once, and again only when one of these files or the
# Go version changes. CONFIGURATION_DYNAMO_TOOLS names another folder than .cache/tools.
set -euo pipefail

if [[ $# -ne 1 || -z $1 ]]; then
	echo "usage: $0 NAME" >&2
	exit 2
fi

name=$1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
module=$root/hack/tools/$name
tools=${CONFIGURATION_DYNAMO_TOOLS:-$root/.cache/tools}
binary=$tools/$name

if [[ ! -f $module/go.mod || ! -f $module/package ]]; then
	echo "$0: no tool $name: want hack/tools/$name/go.mod and hack/tools/$name/package" >&2
	exit 2
fi

inputs=("$module/go.mod" "$module/package")
for optional in "$module/go.sum" "$module/ldflags"; do
	[[ -f $optional ]] && inputs+=("$optional")
done
stamp=$({
	go env GOVERSION
	cat "${inputs[@]}"
} | sha256sum | cut -d' ' -f1)

mkdir -p "$tools"
# Two callers at once would build twice and could run a half-written binary.
exec 9>"$tools/.$name.lock"
flock 9

if [[ ! -x $binary || $(cat "$tools/.$name.stamp" 2>/dev/null) != "$stamp" ]]; then
	ldflags=
	[[ -f $module/ldflags ]] && ldflags=$(<"$module/ldflags")
	echo "building $name" >&2
	(cd "$module" && GOFLAGS=-mod=mod GOWORK=off go build -ldflags "$ldflags" -o "$binary" "$(<package)") >&2
	echo "$stamp" >"$tools/.$name.stamp"
fi

echo "$binary"
