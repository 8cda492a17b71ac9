#!/usr/bin/env bash
# Builds the tool NAME from its module under hack/tools into .cache/tools/NAME and prints the path of the binary.
#
#   hack/tool.sh NAME
#
# A module holds go.mod and go.sum (the pinned versions), the file package (the paths of its main packages, one a line; ./NAME is a folder of the
# module itself) and, where its tools need them, the files ldflags and tags, and prepare.sh, which makes the modules that go.mod has replaced by
# folders. The tool of a module with one main package is called after the module's folder; the tools of any other are called after the last element
# of their paths, or by the name that follows the path. A binary is built once, and again only when one of these files or the Go version changes.
# CONFIGURATION_DYNAMO_TOOLS names another folder than .cache/tools.
set -euo pipefail

if [[ $# -ne 1 || -z $1 ]]; then
	echo "usage: $0 NAME" >&2
	exit 2
fi

name=$1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
tools=${CONFIGURATION_DYNAMO_TOOLS:-$root/.cache/tools}
binary=$tools/$name

# find_tool sets module and package of the tool.
find_tool() {
	local paths line own
	for module in "$root"/hack/tools/*/; do
		module=${module%/}
		mapfile -t paths <"$module/package"
		if [[ ${#paths[@]} == 1 && ${module##*/} == "$name" ]]; then
			package=${paths[0]}
			return
		fi
		for line in "${paths[@]}"; do
			read -r package own <<<"$line"
			if [[ ${#paths[@]} != 1 && ${own:-${package##*/}} == "$name" ]]; then return; fi
		done
	done
	echo "$0: no tool $name: want hack/tools/$name with go.mod and package, or a module whose package names it" >&2
	exit 2
}
find_tool

inputs=("$module/go.mod" "$module/package")
for optional in "$module/go.sum" "$module/ldflags" "$module/tags" "$module/prepare.sh"; do
	[[ -f $optional ]] && inputs+=("$optional")
done
if [[ $package == ./* ]]; then inputs+=("$module/$package"/*.go); fi
stamp=$({
	go env GOVERSION
	cat "${inputs[@]}"
} | sha256sum | cut -d' ' -f1)

mkdir -p "$tools"
# Two callers at once would build twice and could run a half-written binary.
exec 9>"$tools/.$name.lock"
flock 9

# The source of the module is read also where its tools are built already.
if [[ -f $module/prepare.sh ]]; then "$module/prepare.sh" "$root/.cache/modules" >&2; fi

if [[ ! -x $binary || $(cat "$tools/.$name.stamp" 2>/dev/null) != "$stamp" ]]; then
	ldflags=
	[[ -f $module/ldflags ]] && ldflags=$(<"$module/ldflags")
	tags=
	[[ -f $module/tags ]] && tags=$(<"$module/tags")
	echo "building $name" >&2
	# Most objects of the compiler are short-lived. Collecting them less often saves a sixth of its processor time, within this much memory for
	# each process. Nobody debugs a tool, and leaving out what a debugger reads saves an eighth of the rest.
	export GOGC=${GOGC:-400} GOMEMLIMIT=${GOMEMLIMIT:-2GiB}
	# Without paths of this machine: a bill of materials has the hash of the tool that made it.
	(cd "$module" && GOFLAGS=-mod=mod GOWORK=off go build -trimpath -tags "$tags" -gcflags=all=-dwarf=false -ldflags "-s -w $ldflags" -o "$binary" "$package") >&2
	echo "$stamp" >"$tools/.$name.stamp"
fi

echo "$binary"
