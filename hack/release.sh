#!/usr/bin/env bash
# Builds the files of a release into FOLDER. The same source, Go and tools give the same bytes.
#
#   hack/release.sh [-n] FOLDER VERSION [OS/ARCH...]      the platforms of the command line; by default linux and darwin, amd64 and arm64
#
#   FOLDER/kubectl-dgd-OS-ARCH                    the command line
#   FOLDER/kubectl-dgd-OS-ARCH.cdx.json           its bill of materials: CycloneDX
#   FOLDER/configuration-dynamo-VERSION.tar.gz    what a cluster needs beside the packages, with examples, in the folders of the repository
#   FOLDER/configuration-dynamo-site-VERSION.tar.gz    the documentation as a static site: hack/site.sh
#   FOLDER/dynamographdeployment-*.json           JSON Schemas of graphs, for editors
#   FOLDER/*-definition.yaml, FOLDER/scalingadapter-crd.yaml      the API: definitions for Crossplane, and a CRD
#   FOLDER/packages.txt, FOLDER/functions.txt     packages, and functions among them, by their digests
#   FOLDER/functions-{amd64,arm64}.cdx.json       bill of materials of the images of the functions
#   FOLDER/notes.md                               the section of the version in CHANGELOG.md
#   FOLDER/SHA256SUMS                             of all of them
#   FOLDER/packages/                              what hack/package.sh builds
#
# CHANGELOG=FILE is read in place of CHANGELOG.md. -n leaves out binaries, packages and the site, which take minutes. hack/publish.sh pushes, signs and attests.
set -euo pipefail

usage() {
	echo "usage: $0 [-n] FOLDER VERSION [OS/ARCH...]" >&2
	exit 2
}

quick=
if [[ ${1:-} == -n ]]; then
	quick=1
	shift
fi
if [[ $# -lt 2 || -z $1 ]]; then usage; fi
folder=$1 version=$2
shift 2
platforms=("$@")
if [[ ${#platforms[@]} == 0 ]]; then platforms=(linux/amd64 linux/arm64 darwin/amd64 darwin/arm64); fi
for platform in "${platforms[@]}"; do
	if [[ ! $platform =~ ^(linux|darwin)/(amd64|arm64)$ ]]; then
		echo "$0: cannot build for $platform: want linux or darwin, / and amd64 or arm64" >&2
		exit 2
	fi
done

mkdir -p "$folder"
out=$(cd "$folder" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# Files of an earlier version would be published with those of this one. Those of anything else are not to be deleted.
if [[ ! -f $out/SHA256SUMS && -n $(find "$out" -mindepth 1 -maxdepth 1 -type f -print -quit) ]]; then
	echo "$0: $out has files that are no release: name an empty folder" >&2
	exit 1
fi
find "$out" -mindepth 1 -maxdepth 1 -type f -delete

# Configurations name the version of their functions, which is what a release is called.
for metadata in crossplane.yaml package/{claims,chain,chain-claims}/crossplane.yaml; do
	if ! functions=$(sed -n 's/^      version: //p' "$metadata" | sort -u) || [[ $functions != "$version" ]]; then
		echo "$0: $metadata depends on functions of version ${functions:-none}, and the release is $version" >&2
		exit 1
	fi
done
hack/release-notes.sh "$version" ${CHANGELOG:+"$CHANGELOG"} >"$out/notes.md"

cp schemas/dynamographdeployment-*.json package/scalingadapter-crd.yaml "$out"
for api in dynamographdeployment xdynamographdeployment dynamographdeploymentscalingadapter; do
	cp "apis/$api/definition.yaml" "$out/${api}s-definition.yaml"
done

if [[ -z $quick ]]; then
	for platform in "${platforms[@]}"; do
		binary=$out/kubectl-dgd-${platform/\//-}
		hack/binary.sh cmd/dgd "$binary" "${platform%/*}" "${platform#*/}" "$version"
		hack/bill.sh "$binary" "$binary.cdx.json"
	done
	hack/package.sh "$out/packages" "$version"
	cp "$out"/packages/{packages,functions}.txt "$out"/packages/{install*,queue}.yaml "$out"/packages/functions-*.cdx.json "$out"
fi

# archive FILE FOLDER NAME... has the same bytes everywhere: no owner and no time.
archive() {
	local file=$1 parent=$2
	shift 2
	tar --sort=name --format=ustar --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX -C "$parent" -cf - "$@" | gzip -n >"$file"
}

# The archive has none of what a clone has beside these folders.
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
name=configuration-dynamo-$version
mkdir -p "$stage/$name"
git ls-files -z -- LICENSE CHANGELOG.md apis/*/definition.yaml compositions examples package schemas ':!:package/*/crossplane.yaml' ':!:*.go' |
	xargs -0 cp --parents -t "$stage/$name"
if [[ -z $quick ]]; then cp "$out"/packages/{packages,functions}.txt "$stage/$name"; fi
archive "$out/$name.tar.gz" "$stage" "$name"

if [[ -z $quick ]]; then
	hack/site.sh "$stage/site" "$version"
	archive "$out/configuration-dynamo-site-$version.tar.gz" "$stage/site" "$version" index.html versions.js
fi

(cd "$out" && find . -maxdepth 1 -type f ! -name SHA256SUMS -printf '%f\n' | LC_ALL=C sort | xargs sha256sum -- >SHA256SUMS)
echo "release in $out"
