#!/usr/bin/env bash
# Builds the packages into FOLDER. The same source, Go and tools give the same bytes.
#
#   hack/package.sh [-l] FOLDER [VERSION [REPOSITORY]]   VERSION of the release; by default that of the functions in crossplane.yaml
#                                                      REPOSITORY to which they will be pushed; by default that which they name
#
# -l only builds what a cluster on this machine needs: the namespaced API and its one function, for the architecture of the machine, without bills
# of materials.
#
#   FOLDER/function-dynamo-*-{amd64,arm64}.xpkg   one for each function and architecture, with the image that it runs
#   FOLDER/configuration-dynamo.xpkg              the namespaced API, its Composition, and examples
#   FOLDER/configuration-dynamo-claims.xpkg       the same for the claims flavour
#   FOLDER/configuration-dynamo-chain*.xpkg       both again, with eight functions in place of one
#   FOLDER/functions.txt                          the functions and the digests of their packages, by which Configurations name them
#   FOLDER/packages.txt                           all packages and their digests
#   FOLDER/install*.yaml                          what installs them, for each flavour and pipeline: hack/install.sh
#   FOLDER/queue.yaml                             the default queue, on clusters with KAI: hack/install.sh
#   FOLDER/functions-{amd64,arm64}.cdx.json       bill of materials of the images, which all hold the same binary: CycloneDX
#   FOLDER/SHA256SUMS                             of all of them
#   FOLDER/stage/                                 what they are made of
#
# hack/push.sh pushes them, and makes the packages of all architectures of a function one.
set -euo pipefail

architectures=(amd64 arm64) local=
if [[ ${1:-} == -l ]]; then
	architectures=("$(go env GOARCH)") local=1
	shift
fi
if [[ $# -lt 1 || $# -gt 3 || -z $1 ]]; then
	echo "usage: $0 [-l] FOLDER [VERSION [REPOSITORY]]" >&2
	exit 2
fi

mkdir -p "$1"
out=$(cd "$1" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/.."
xpkg=$(hack/tool.sh xpkg)
crane=$(hack/tool.sh crane)
stage=$out/stage
# A staging folder of its own keeps out of a package whatever else is in the repository.
rm -rf "$stage" "$out"/*.xpkg "$out"/*.cdx.json "$out/SHA256SUMS" "$out/functions.txt" "$out/packages.txt" "$out"/install*.yaml "$out/queue.yaml"
mkdir -p "$stage/bin"

# build NAME EXAMPLES FLAG... builds FOLDER/NAME.xpkg. A folder of examples that does not exist stands for none.
build() {
	local name=$1 examples=$2
	shift 2
	"$xpkg" build --examples-root="$stage/$examples" --package-file="$out/$name.xpkg" "$@"
}

version=${2:-$(sed -n 's/^      version: //p' crossplane.yaml | sort -u)}

go build -o "$stage/bin/image" ./hack/image
for arch in "${architectures[@]}"; do
	hack/binary.sh cmd/function "$stage/bin/functions-$arch" linux "$arch" "$version"
	if [[ $local ]]; then continue; fi
	hack/bill.sh "$stage/bin/functions-$arch" "$out/functions-$arch.cdx.json"
done

for folder in package/*/crossplane.yaml; do
	folder=${folder%/crossplane.yaml}
	function=${folder#package/}
	if ! grep -q '^kind: Function$' "$folder/crossplane.yaml"; then continue; fi
	if [[ $local && $function != graph ]]; then continue; fi

	name=function-dynamo-$function
	mkdir -p "$stage/$name"
	cp -r "$folder/." "$stage/$name"
	for arch in "${architectures[@]}"; do
		image=$stage/bin/$function-$arch.tar
		"$stage/bin/image" -arch "$arch" -function "$function" -binary "$stage/bin/functions-$arch" -out "$image"
		build "$name-$arch" none --package-root="$stage/$name" --embed-runtime-image-tarball="$image"
		rm "$image"
	done
done

# The digest of a function is that of the index which hack/push.sh makes of its packages. It does not depend on the registry.
# The log must exist before it is read, and the registry opens it later.
: >"$stage/registry.log"
"$crane" registry serve --address=127.0.0.1:0 >"$stage/registry.log" 2>&1 &
registry=$!
trap 'kill "$registry"' EXIT
until port=$(sed -n 's/.*serving on port //p' "$stage/registry.log") && [[ -n $port ]]; do
	kill -0 "$registry" || { cat "$stage/registry.log" >&2 && exit 1; }
	sleep 0.1
done
for package in "$out"/function-*-"${architectures[0]}.xpkg"; do
	package=${package%-*}
	function=${package##*/} files=$(printf ",$package-%s.xpkg" "${architectures[@]}")
	"$xpkg" push --package-files="${files#,}" "127.0.0.1:$port/packages/$function:$version"
	echo "$function $("$crane" digest "127.0.0.1:$port/packages/$function:$version")" >>"$out/functions.txt"
done
cp "$out/functions.txt" "$out/packages.txt"

# pinned METADATA prints the metadata of a Configuration, with digests in place of the version of the functions.
pinned() {
	awk 'NR == FNR { digest[$1] = $2; next }
		$1 == "package:" { function_name = $2; sub(".*/", "", function_name) }
		/^      version: / { $0 = "      version: " digest[function_name] }
		{ print }' "$out/functions.txt" "$1"
}

# configuration NAME METADATA KIND COMPOSITION EXAMPLE... builds a Configuration, for the API in apis/KIND with the pipeline in
# compositions/COMPOSITION.yaml.
configuration() {
	local name=$1 metadata=$2 kind=$3 composition=$4
	shift 4
	mkdir -p "$stage/$name" "$stage/$name-examples"
	pinned "$metadata" >"$stage/$name/crossplane.yaml"
	cp "apis/$kind/definition.yaml" "$stage/$name/definition.yaml"
	# A fused Composition has the name of the chain's here, so that one Configuration takes the place of the other as a new version
	# would: graphs follow, and there are never two Compositions for one kind.
	sed "s/^  name: $kind-fused\$/  name: $kind/" "compositions/$composition.yaml" >"$stage/$name/composition.yaml"
	cp "$@" "$stage/$name-examples"
	build "$name" "$name-examples" --package-root="$stage/$name"
	"$xpkg" push --package-files="$out/$name.xpkg" "127.0.0.1:$port/packages/$name:$version"
	echo "$name $("$crane" digest "127.0.0.1:$port/packages/$name:$version")" >>"$out/packages.txt"
}

# Functions of the examples are for render; in a cluster the packages bring them.
mapfile -t examples < <(find examples -maxdepth 1 -name '*.yaml' ! -name 'functions*.yaml' | sort)
claims=(examples/claims/*-claim.yaml)
api=dynamographdeployment
configuration configuration-dynamo crossplane.yaml $api $api-fused "${examples[@]}"
if [[ ! $local ]]; then
	configuration configuration-dynamo-claims package/claims/crossplane.yaml x$api x$api-fused "${claims[@]}"
	configuration configuration-dynamo-chain package/chain/crossplane.yaml $api $api "${examples[@]}"
	configuration configuration-dynamo-chain-claims package/chain-claims/crossplane.yaml x$api x$api "${claims[@]}"
fi

kill "$registry"
trap - EXIT
rm "$stage/registry.log"

hack/install.sh "$out" ${3:+"$3"}
if [[ ! $local ]]; then (cd "$out" && sha256sum -- *.cdx.json *.xpkg >SHA256SUMS); fi
rm -rf "$stage/bin"
echo "packages in $out"
