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
run_ok 'shellcheck' shellcheck -x -S warning $scripts

broken=
for file in $(git ls-files '*.md'); do
	while read -r target; do
		[[ $target != http* ]] || continue
		[ -e "$(dirname "$file")/$target" ] || broken+="$file: $target
"
	done < <(grep -oE '\]\([^)#: ]+' "$file" | cut -c3-)
done
is "$broken" '' 'links in the documents lead somewhere'

# Every code of base/err.c is in the manual under its number and name, and nothing else is.
codes=$(sed -n 's/^\t\(CNI\|ROCE\)_\([A-Z_]*\) = \([0-9]*\),/\3 \2/p' base/err.h | grep -v '^0 ' | sort)
manual=$(sed -n 's/^| \([0-9][0-9]*\) | \([A-Z_]*\) | .*/\1 \2/p' docs/errors.md | sort)
is "$manual" "$codes" 'docs/errors.md lists every error code'

# Every test that docs/known-reports.md names is there.
missing=
for test in $(grep -oE '\b(ns|lab|unit)/[a-z_-]+\.(sh|c)' docs/known-reports.md | sort -u); do
	[ -e "tests/${test/#lab\//lab/scenarios/}" ] || missing+="$test "
done
is "$missing" '' 'every test in docs/known-reports.md exists'

for room in base conf netlink ipam cni ctl tests examples docs; do
	run_ok "$room has a README" test -s "$room/README.md"
done
done_testing || exit 1
