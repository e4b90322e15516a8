#!/bin/bash
# Every network of tests/corpus through rocectl validate and rocectl convert: what they say, that what
# convert prints is valid and stays as it is when it is converted again, and that damage crashes nothing.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/world.sh
. tests/world.sh
world_enter "$@"
# shellcheck source=tests/tap.sh
. tests/tap.sh
CORPUS=tests/corpus
WORK=/run/corpus
CUTS=20 FLIPS=20 SEED=4096
mkdir -p "$WORK"
cp "$BIN/rocectl" "$WORK/" || exit 1 # thousands of runs, while somebody may build
ROCECTL=$WORK/rocectl

# ---- one file ----

# expect FILE WORD DEFAULT: the first value of a word in a file of expectations.
expect() {
	local value
	value=$(sed -n "s/^$2 //p" "$1" | head -n 1)
	printf '%s' "${value:-$3}"
}

# configs FILE: every configuration in what convert printed, one a line.
configs() {
	jq -c 'if .kind == "List" then .items[] else . end
		| if .kind then (.spec.config? | strings | fromjson? // empty) else . end' "$1"
}

# found TEXT ERE: some line matches.
found() { grep -qE -e "$2" <<<"$1"; }

# matches FILE WORD TEXT WHAT: every expression of a word is found, or with "un" before it none is.
matches() {
	local pattern
	while IFS= read -r pattern; do
		if found "$3" "$pattern"; then
			ok "$4: $pattern"
		else
			not_ok "$4: $pattern" "$3"
		fi
	done < <(sed -n "s/^$2 //p" "$1")
	while IFS= read -r pattern; do
		if found "$3" "$pattern"; then
			not_ok "$4: not $pattern" "$3"
		else
			ok "$4: not $pattern"
		fi
	done < <(sed -n "s/^un$2 //p" "$1")
}

# kept_or_told FILE: each of these keys is in the result, or somebody was told about it.
kept_or_told() {
	local key
	for key in $(expect "$1" all ''); do
		if grep -qiE "\"$key\":" <<<"$CONFIGS" || grep -qiE "[.: ]$key: " <<<"$ERR"; then
			ok "$NAME: $key is carried over or reported"
		else
			not_ok "$NAME: $key is carried over or reported" "$CONFIGS
$ERR"
		fi
	done
}

check_validate() {
	local want json
	want=$(expect "$EXPECT" validate missing)
	SAYS=$("$ROCECTL" validate --offline "$FILE" 2>&1 </dev/null)
	is "$?" "$want" "$NAME: validate"
	# Long lines are wrapped: what is looked for may be in two.
	SAYS=$(awk '/^    / { sub(/^ +/, " "); printf "%s", $0; next }
		{ printf "%s%s", (NR > 1 ? "\n" : ""), $0 } END { print "" }' <<<"$SAYS")
	matches "$EXPECT" says "$SAYS" "$NAME: validate says"
	json=$("$ROCECTL" validate --offline -o json "$FILE" 2>/dev/null </dev/null)
	is "$?" "$want" "$NAME: validate -o json"
	is "$(jq -r '[.schemaVersion, .ok, (.reports | length > 0)] | @csv' <<<"$json" 2>&1)" \
		"\"1.0\",$([ "$want" -eq 0 ] && echo true || echo false),true" "$NAME: its JSON"
}

check_convert() {
	local want status
	want=$(expect "$EXPECT" convert missing)
	"$ROCECTL" convert "$FILE" >"$WORK/out" 2>"$WORK/err" </dev/null
	status=$?
	ERR=$(cat "$WORK/err")
	CONFIGS=$(configs "$WORK/out")
	like "$status" "^($want)$" "$NAME: convert"
	matches "$EXPECT" out "$(cat "$WORK/out")" "$NAME: convert prints"
	matches "$EXPECT" err "$ERR" "$NAME: convert tells"
	matches "$EXPECT" conf "$CONFIGS" "$NAME: configuration"
	kept_or_told "$EXPECT"
	[ "$status" -eq 0 ] || [ -n "$ERR" ] || not_ok "$NAME: convert says why it ends with $status"
}

# What convert prints is valid, and there is nothing in it to convert.
check_again() {
	local says
	[ -s "$WORK/out" ] || return
	says=$("$ROCECTL" validate --offline - <"$WORK/out" 2>&1)
	like "$?" "^($(expect "$EXPECT" again 0))$" "$NAME: validate after convert"
	matches "$EXPECT" againsays "$says" "$NAME: validate says of it"
	same "$("$ROCECTL" convert - <"$WORK/out" 2>/dev/null)" "$(cat "$WORK/out")" \
		"$NAME: converted once is converted"
}

check() {
	FILE=$1
	NAME=${1##*/}
	EXPECT=${1%.*}.expect
	check_validate
	check_convert
	check_again
}

# ---- damage ----

# damage: copies of every file, cut off and with flipped bits, always the same ones.
damage() {
	python3 - "$WORK/damaged" "$SEED" "$CUTS" "$FLIPS" "$@" <<-'PYTHON'
		import os, random, sys
		folder, seed, cuts, flips = sys.argv[1], *map(int, sys.argv[2:5])
		dice = random.Random(seed)
		os.makedirs(folder)
		for path in sys.argv[5:]:
		    data, name = open(path, "rb").read(), os.path.basename(path)
		    for i in range(cuts):
		        open(f"{folder}/cut-{i}-{name}", "wb").write(data[:len(data) * i // cuts])
		    for i in range(flips):
		        flipped = bytearray(data)
		        for _ in range(1 + i // 8):
		            flipped[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
		        open(f"{folder}/flip-{i}-{name}", "wb").write(flipped)
	PYTHON
}

# survive COMMAND...: on every damaged file the status is 0, 1 or 2, soon. What convert makes of one is
# no worse: it can be read, and is not converted twice.
survive() {
	local file status runs=0 bad='' twice=''
	for file in "$WORK"/damaged/*; do
		timeout 5 "$ROCECTL" "$@" "$file" >"$WORK/once" 2>/dev/null </dev/null
		status=$?
		runs=$((runs + 1))
		[ "$status" -le 2 ] || bad+="${file##*/}: status $status
"
		[ "$1" = convert ] && [ -s "$WORK/once" ] || continue
		"$ROCECTL" convert "$WORK/once" >"$WORK/twice" 2>/dev/null </dev/null
		cmp -s "$WORK/once" "$WORK/twice" || twice+="${file##*/}
"
	done
	is "$bad" '' "rocectl $*: $runs damaged files, no crash"
	is "$runs" "$((${#FILES[@]} * (CUTS + FLIPS)))" "rocectl $*: all of them"
	is "$twice" '' "rocectl $*: nothing is converted twice"
}

# ---- the command ----

usage() {
	is "$("$ROCECTL" convert >/dev/null 2>&1; echo $?)" 2 'convert without a file'
	is "$("$ROCECTL" convert a b >/dev/null 2>&1; echo $?)" 2 'convert with two files'
	is "$("$ROCECTL" convert --no-such "$CORPUS/bridge.json" >/dev/null 2>&1; echo $?)" 2 \
		'convert with an unknown option'
	is "$("$ROCECTL" convert /no/such/file 2>&1; echo $?)" \
		'rocectl convert: cannot read /no/such/file: No such file or directory
2' 'convert of a file that is not there'
	like "$("$ROCECTL" help)" $'\n  convert ' 'convert is in the help'
	is "$("$ROCECTL" convert - <"$CORPUS/sriov-rdma.json" 2>&1 >/dev/null | cut -d: -f1-2 | sort -u)" \
		'stdin: rail' 'convert reads stdin'
}

FILES=("$CORPUS"/*.json "$CORPUS"/*.yaml)
for file in "${FILES[@]}"; do check "$file"; done
for file in "$CORPUS"/*.expect; do
	[ -e "${file%.*}.json" ] || [ -e "${file%.*}.yaml" ] || not_ok "$file is of a file"
done
usage
damage "${FILES[@]}"
survive validate --offline -o json
survive convert
done_testing || exit 1
