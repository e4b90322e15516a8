# shellcheck shell=bash
# TAP for shell tests. Source it; call ok/is/like; end with: done_testing || exit 1
TAP_N=0
TAP_FAILED=0

# diag TEXT: a diagnostic, every line of it behind "# ".
diag() { printf '%s\n' "$*" | sed 's/^/# /'; }

# ok DESCRIPTION / not_ok DESCRIPTION [DETAIL]
ok() {
	TAP_N=$((TAP_N + 1))
	printf 'ok %d - %s\n' "$TAP_N" "$1"
}
not_ok() {
	TAP_N=$((TAP_N + 1))
	TAP_FAILED=$((TAP_FAILED + 1))
	printf 'not ok %d - %s\n' "$TAP_N" "$1"
	[ $# -lt 2 ] || diag "$2"
}

# is GOT WANT DESCRIPTION
is() {
	if [ "$1" = "$2" ]; then
		ok "$3"
	else
		not_ok "$3" "got:  $1
want: $2"
	fi
}

# like GOT ERE DESCRIPTION / unlike GOT ERE DESCRIPTION
like() {
	if [[ $1 =~ $2 ]]; then
		ok "$3"
	else
		not_ok "$3" "got:  $1
want: a match of $2"
	fi
}
unlike() {
	if [[ $1 =~ $2 ]]; then
		not_ok "$3" "got:  $1
want: no match of $2"
	else
		ok "$3"
	fi
}

# run_ok DESCRIPTION COMMAND...: the command succeeds; its output is shown when it does not.
run_ok() {
	local description=$1 output
	shift
	if output=$("$@" 2>&1); then
		ok "$description"
	else
		not_ok "$description" "status $?: $*
$output"
	fi
}

# same BEFORE AFTER DESCRIPTION: two texts are equal; a diff is shown when they are not.
same() {
	if [ "$1" = "$2" ]; then
		ok "$3"
	else
		not_ok "$3" "$(diff <(printf '%s\n' "$1") <(printf '%s\n' "$2"))"
	fi
}

# done_testing: print the plan; fails if any test failed.
done_testing() {
	printf '1..%d\n' "$TAP_N"
	[ "$TAP_FAILED" -eq 0 ]
}
