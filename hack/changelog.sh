#!/usr/bin/env bash
# Collects the changes of a release: the files in changelog.d become the section of VERSION in CHANGELOG.md, and are deleted.
#
#   hack/changelog.sh VERSION [FOLDER]      FOLDER has CHANGELOG.md and changelog.d; the repository by default
#   hack/changelog.sh -n [FOLDER]           only checks the files
#
# A file changelog.d/NAME.SECTION.md contains list items. SECTION is running-graphs, added, changed or fixed.
set -euo pipefail

# Files come in the order of their bytes everywhere.
export LC_ALL=C

if [[ $# -lt 1 || $# -gt 2 || -z $1 ]]; then
	echo "usage: $0 VERSION|-n [FOLDER]" >&2
	exit 2
fi
version=$1
cd "${2:-$(dirname "${BASH_SOURCE[0]}")/..}"

failed=
section=
for part in running-graphs added changed fixed; do
	title=${part//-/ }
	heading="### ${title^}"$'\n\n'
	for file in changelog.d/*."$part".md; do
		if [[ ! -e $file ]]; then continue; fi
		if grep -qvE '^(- |  +)[^ ]' "$file" || [[ $(head -c 2 "$file") != "- " ]]; then
			echo "$0: $file: want list items: each begins with a dash and a blank, its further lines with two blanks" >&2
			failed=1
		fi
		section+=$heading$(<"$file")$'\n'
		heading=
	done
	if [[ -z $heading ]]; then section+=$'\n'; fi
done
for file in changelog.d/*; do
	if [[ -e $file && ! $file =~ ^changelog\.d/[a-z0-9-]+\.(running-graphs|added|changed|fixed)\.md$ ]]; then
		echo "$0: $file: want a name such as changelog.d/drain-seconds.added.md, with section running-graphs, added, changed or fixed" >&2
		failed=1
	fi
done
if [[ -n $failed ]]; then exit 1; fi
if [[ $version == -n ]]; then exit; fi

if grep -qxF "## $version" CHANGELOG.md; then
	echo "$0: CHANGELOG.md has a section \"## $version\" already" >&2
	exit 1
fi
if [[ -z $section ]]; then
	echo "$0: changelog.d has no changes" >&2
	exit 1
fi
# The newest version comes first, after the introduction.
before=$(sed '/^## /,$d' CHANGELOG.md)
after=$(sed -n '/^## /,$p' CHANGELOG.md)
printf '%s\n\n## %s\n\n%s%s\n' "$before" "$version" "$section" "$after" >CHANGELOG.md
rm -r changelog.d
