#!/usr/bin/env bash
# Builds the packages into FOLDER. The same source, Go and tools give the same bytes.
#
#   hack/package.sh FOLDER
#
#   FOLDER/function-dynamo-*-{amd64,arm64}.xpkg   one for each function and architecture, with the image that it runs
#   FOLDER/configuration-dynamo.xpkg              the namespaced API, its Composition, and examples
#   FOLDER/configuration-dynamo-claims.xpkg       the same for the claims flavour
#   FOLDER/configuration-dynamo-fused*.xpkg       both again, with one function in place of seven
#   FOLDER/functions-{amd64,arm64}.cdx.json       bill of materials of the images, which all hold the same binary: CycloneDX
#   FOLDER/SHA256SUMS                             of all of them
#   FOLDER/stage/                                 what they are made of
#
# hack/push.sh pushes them, and makes the packages of all architectures of a function one.
set -euo pipefail

if [[ $# -ne 1 || -z $1 ]]; then
	echo "usage: $0 FOLDER" >&2
	exit 2
fi

mkdir -p "$1"
out=$(cd "$1" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/.."
crossplane=$(hack/tool.sh crossplane-cli)
cyclonedx=$(hack/tool.sh cyclonedx-gomod)
stage=$out/stage
# A staging folder of its own keeps out of a package whatever else is in the repository.
rm -rf "$stage" "$out"/*.xpkg "$out"/*.cdx.json "$out/SHA256SUMS"
mkdir -p "$stage/bin"

# xpkg NAME EXAMPLES FLAG... builds FOLDER/NAME.xpkg. A folder of examples that does not exist stands for none.
xpkg() {
	local name=$1 examples=$2
	shift 2
	"$crossplane" xpkg build --examples-root="$stage/$examples" --package-file="$out/$name.xpkg" "$@"
}

# bill BINARY writes FOLDER/BINARY.cdx.json. A serial number and a time would make every build another one. What the tool says is
# of interest only when it fails: otherwise it is that the binary does not know its commit.
bill() {
	if ! "$cyclonedx" bin -json -std -noserial -notimestamp -output "$out/$1.cdx.json" "$stage/bin/$1" 2>"$stage/$1.log"; then
		cat "$stage/$1.log" >&2
		return 1
	fi
	rm "$stage/$1.log"
}

go build -o "$stage/bin/image" ./hack/image
for arch in amd64 arm64; do
	# Without the commit that Go would put into the binary, a change of something else does not make every function new.
	CGO_ENABLED=0 GOOS=linux GOARCH=$arch go build -trimpath -buildvcs=false -ldflags '-s -w -buildid=' \
		-o "$stage/bin/functions-$arch" ./functions
	bill "functions-$arch"
done

for folder in package/*/crossplane.yaml; do
	folder=${folder%/crossplane.yaml}
	function=${folder#package/}
	if ! grep -q '^kind: Function$' "$folder/crossplane.yaml"; then continue; fi

	name=function-dynamo-$function
	mkdir -p "$stage/$name"
	cp -r "$folder/." "$stage/$name"
	for arch in amd64 arm64; do
		image=$stage/bin/$function-$arch.tar
		"$stage/bin/image" -arch "$arch" -function "$function" -binary "$stage/bin/functions-$arch" -out "$image"
		xpkg "$name-$arch" none --package-root="$stage/$name" --embed-runtime-image-tarball="$image"
		rm "$image"
	done
done

# configuration NAME METADATA KIND COMPOSITION EXAMPLE... builds a Configuration, for the API in apis/KIND with the pipeline in
# compositions/COMPOSITION.yaml.
configuration() {
	local name=$1 metadata=$2 kind=$3 composition=$4
	shift 4
	mkdir -p "$stage/$name" "$stage/$name-examples"
	cp "$metadata" "$stage/$name/crossplane.yaml"
	cp "apis/$kind/definition.yaml" "$stage/$name/definition.yaml"
	# A fused Composition has the name of the other here, so that one Configuration takes the place of the other as a new version
	# would: graphs follow, and there are never two Compositions for one kind.
	sed "s/^  name: $kind-fused\$/  name: $kind/" "compositions/$composition.yaml" >"$stage/$name/composition.yaml"
	cp "$@" "$stage/$name-examples"
	xpkg "$name" "$name-examples" --package-root="$stage/$name"
}

# Functions of the examples are for render; in a cluster the packages bring them.
mapfile -t examples < <(find examples -maxdepth 1 -name '*.yaml' ! -name 'functions*.yaml' | sort)
claims=(examples/claims/*-claim.yaml)
api=dynamographdeployment
configuration configuration-dynamo crossplane.yaml $api $api "${examples[@]}"
configuration configuration-dynamo-claims package/claims/crossplane.yaml x$api x$api "${claims[@]}"
configuration configuration-dynamo-fused package/fused/crossplane.yaml $api $api-fused "${examples[@]}"
configuration configuration-dynamo-fused-claims package/fused-claims/crossplane.yaml x$api x$api-fused "${claims[@]}"

(cd "$out" && sha256sum -- *.cdx.json *.xpkg >SHA256SUMS)
rm -rf "$stage/bin"
echo "packages in $out"
