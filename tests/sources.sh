#!/bin/bash
# Checks of the sources themselves: shell scripts, links in the documents.
set -u
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=tests/tap.sh
. tests/tap.sh

scripts=$(git ls-files | while read -r file; do
	head -n 1 "$file" 2>/dev/null | grep -qE '^#!/bin/bash|shellcheck shell=bash' && echo "$file"
done)
# shellcheck disable=SC2086
run_ok 'shellcheck' shellcheck -x $scripts

broken=
for file in $(git ls-files '*.md'); do
	for target in $(grep -oE '\]\([^)#: ]+' "$file" | cut -c3-); do
		[ -e "$(dirname "$file")/$target" ] || broken+="$file: $target
"
	done
done
is "$broken" '' 'links in the documents lead somewhere'

for room in base conf netlink ipam cni ctl tests examples docs; do
	run_ok "$room has a README" test -s "$room/README.md"
done
done_testing || exit 1
